import type { Agent } from '../../../src/agent/port/index.ts'
import { createDecoder, type StreamEvent } from '../../../src/events/index.ts'
import { createHandler, type Handler } from '../../../src/server/handler.ts'
import type { HandlerOptions } from '../../../src/server/handler-options.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { createLosable } from '../stores/losable-store.ts'

/** The session of these tests. */
export const session = '00000000-0000-4000-8000-000000000000'

/** A session, or its history, as the server shows it. */
export interface SessionView {
  readonly stop_reason?: string
  readonly pending?: readonly SeenCall[]
  readonly pending_approvals?: readonly SeenCall[]
  readonly conversations?: readonly { readonly final_response: string }[]
}

interface SeenCall {
  readonly tool_use_id: string
  readonly input?: unknown
  readonly input_hash?: string
}

/** A server with one agent, and requests to its session. */
export interface ForeignServer {
  readonly handler: Handler
  readonly ask: (prompt: string) => Promise<string>
  readonly post: (path: string, body: object) => Promise<Response>
  readonly view: (path?: string) => Promise<SessionView>
  readonly decide: (callId: string, decision: object) => Promise<string>
  readonly answer: (callId: string, content: string) => Promise<string>
}

/** Opens a server on a store. Every violation of the protocol is an error. */
export function openServer(
  agent: Agent,
  store: Store = createMemoryStore(),
  options: Partial<HandlerOptions> = {},
): ForeignServer {
  const onViolation = (violation: unknown): never => {
    throw new Error(JSON.stringify(violation))
  }
  const agents = { [agent.name]: agent }
  const required = { agents, defaultAgent: agent.name, store, onViolation }
  const handler = createHandler({ ...options, ...required })
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, body: object): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost/agent/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      }),
    )
  const text = async (response: Promise<Response>): Promise<string> => (await response).text()
  return {
    handler,
    post,
    ask: (prompt) => text(post('run', { agent_uuid: session, user_prompt: prompt })),
    view: async (path = '') => {
      const url = `http://localhost/agent/${session}${path}`
      return (await (await handler.fetch(new Request(url))).json()) as SessionView
    },
    decide: (callId, decision) =>
      text(
        post('tool_approvals', {
          agent_uuid: session,
          approvals: [{ tool_use_id: callId, ...decision }],
        }),
      ),
    answer: (callId, content) =>
      text(
        post('tool_results', {
          agent_uuid: session,
          tool_results: [{ tool_use_id: callId, content }],
        }),
      ),
  }
}

/** Returns the text and the results in a response. */
export function said(response: string): string {
  const decoder = createDecoder()
  const frames = response.split('\n').filter((line) => line.startsWith('data: {'))
  const events = frames.flatMap((frame) => decoder.decode(frame.slice('data: '.length)) ?? [])
  return events
    .map((event) => (event.type === 'text' || event.type === 'tool_result' ? event.text : ''))
    .join('')
}

/** Runs an agent by a clock that is some time ahead. */
export function runLater(agent: Agent, delayMs: () => number): Agent {
  const { run } = agent
  return {
    ...agent,
    run: (start, options) => run(start, { ...options, now: () => Date.now() + delayMs() }),
  }
}

/** Reads the events of the session. */
export async function eventsIn(store: Store): Promise<readonly StreamEvent[]> {
  const lines = await store.read(session, 0, 10_000)
  const decoder = createDecoder()
  return lines.flatMap(({ line }) => decoder.decode(new TextDecoder().decode(line)) ?? [])
}

/** The agents of two servers on one store. */
interface DyingServer {
  readonly dying: Agent
  readonly next: Agent
  readonly prompt: string
  /** Requests after the prompt, during which the server dies. */
  readonly after?: (server: ForeignServer) => Promise<unknown>
  readonly shared?: Store
  /** The time in which calls can be approved, and approved tools start. */
  readonly ttlMs?: number
}

/** Starts a run whose server dies once the log has some text, and opens another server, which recovers it. */
export async function dieAt(
  text: string,
  { dying, next, prompt, after = async () => {}, shared = createMemoryStore(), ttlMs }: DyingServer,
): Promise<{ readonly store: Store; readonly server: ForeignServer }> {
  const store: Store = { ...shared, isDurable: true, send: async () => {} }
  const held = createLosable(store)
  // Its reader loses the store once the test is over.
  const options = ttlMs === undefined ? {} : { approvalTtlMs: ttlMs }
  const first = openServer(dying, held, options)
  first
    .ask(prompt)
    .then(() => after(first))
    .catch(() => {})
  const logged = async (): Promise<boolean> => {
    if ((await store.info(session)) === undefined) return false
    const lines = await store.read(session, 0, 10_000)
    return lines.some(({ line }) => new TextDecoder().decode(line).includes(text))
  }
  for (let wait = 0; !(await logged()); wait++) {
    if (wait > 2000) throw new Error(`The log never had ${text}.`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  held.lose()
  const { epoch = 0 } = (await store.info(session)) ?? {}
  await store.renew(session, epoch, { owner: 'dead', ms: 0 })
  const server = openServer(next, store, options)
  await server.handler.recover()
  for (let wait = 0; server.handler.activity().runs > 0; wait++) {
    if (wait > 2000) throw new Error('The recovered run does not end.')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { store, server }
}
