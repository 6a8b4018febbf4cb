import { isJsonObject, type JsonObject } from '../../../json/index.ts'
import type { FlowPrompt } from './flow-input.ts'

/** The requests that a case makes to its server, in one session. */
export interface FlowTalk {
  ask(prompt: FlowPrompt): Promise<Response>
  answer(toolResults: readonly JsonObject[]): Promise<Response>
  decide(approvals: readonly JsonObject[]): Promise<Response>
  /** Reads on after an id. */
  read(cursor: number): Promise<Response>
  /** Stops or steers; gives what the server has against it. */
  command(path: 'stop' | 'steer', body: JsonObject): Promise<string | undefined>
  /** `GET /agent/{uuid}`. */
  view(): Promise<JsonObject>
}

/** Where a case talks to its server, and how. */
export interface FlowTalkOptions {
  readonly url: string
  readonly session: string
  /** `stream_meta_history_and_tool_results` of its prompts. */
  readonly flag: boolean
  readonly signal: AbortSignal
}

/** Creates the requests of one session. */
export function createTalk({ url, session, flag, signal }: FlowTalkOptions): FlowTalk {
  const agent_uuid = session
  const get = (path: string): Promise<Response> => fetch(`${url}/agent/${path}`, { signal })
  const post = (path: string, body: JsonObject): Promise<Response> =>
    fetch(`${url}/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  return {
    ask: (user_prompt) =>
      post('run', { agent_uuid, user_prompt, stream_meta_history_and_tool_results: flag }),
    answer: (tool_results) => post('tool_results', { agent_uuid, tool_results }),
    decide: (approvals) => post('tool_approvals', { agent_uuid, approvals }),
    read: (cursor) => get(`${session}/stream?cursor=${cursor}`),
    command: async (path, body) => {
      const answer: unknown = await (await post(`${session}/${path}`, body)).json()
      const isDone = isJsonObject(answer) && Object.values(answer).includes(true)
      return isDone ? undefined : `${path} was refused: ${JSON.stringify(answer)}`
    },
    view: async () => {
      const answer: unknown = await (await get(session)).json()
      return isJsonObject(answer) ? answer : {}
    },
  }
}
