import { type AgentOptions, createAgent } from '../../../src/agent/create-agent.ts'
import { createHandler, type Handler } from '../../../src/server/handler.ts'
import type { HandlerOptions } from '../../../src/server/handler-options.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { call, confirm, createGate, text, tool } from '../agents/agent-harness.ts'
import { payloadOf, readStream, type ReadStream, toMessages } from '../frames/read-stream.ts'
import { createScriptedModel } from '../agents/scripted-model.ts'

/** The session of the tests of commands. */
export const session = '00000000-0000-4000-8000-000000000000'

/** A server on a store: `hold` makes its tool wait for the gate, `ask` makes it wait for the browser, any other prompt is answered. */
export interface CommandServer {
  readonly handler: Handler
  readonly gate: ReturnType<typeof createGate>
  readonly errors: unknown[]
  post(
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
    method?: 'POST' | 'PATCH',
  ): Promise<Response>
  /** Sends a prompt, and returns the response once it has begun. */
  ask(
    prompt: string,
    fields?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /** Stores a waiting prompt; returns the status of the response. */
  queue(prompt: string, fields?: object): Promise<number>
  withdraw(messageId: string): Promise<Response>
  rename(title: string, fields?: object): Promise<Response>
  view(): Promise<SessionView>
  /** The whole log. */
  log(): Promise<ReadStream>
}

/** The state of the session on a server. */
export interface SessionView {
  readonly status: string
  readonly title: string
  readonly total_runs: number
  readonly queue: readonly { message_id: string; text: string; when_busy: string }[]
}

/** Options of a server. */
export interface CommandServerOptions extends Partial<Omit<HandlerOptions, 'store' | 'agents'>> {
  readonly agent?: Partial<AgentOptions>
}

/** Opens a server on a store. */
export function openCommandServer(store: Store, options: CommandServerOptions = {}): CommandServer {
  const gate = createGate()
  const errors: unknown[] = []
  const { agent, ...rest } = options
  const slow = { ...tool('slow', () => gate.passed), idempotent: true }
  const handler = createHandler({
    agents: {
      miller: createAgent({
        name: 'miller',
        model: createModel(),
        tools: [slow, confirm],
        ...agent,
      }),
    },
    defaultAgent: 'miller',
    store,
    onError: (error) => errors.push(error),
    ...rest,
  })
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    handler.fetch(new Request(`http://localhost/agent/${path}`, init))
  const post: CommandServer['post'] = (path, body, headers = {}, method = 'POST') =>
    send(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const ask: CommandServer['ask'] = (prompt, fields = {}, headers = {}) =>
    post('run?compact=0', { agent_uuid: session, user_prompt: prompt, ...fields }, headers)
  return {
    handler,
    gate,
    errors,
    post,
    ask,
    queue: async (prompt, fields = {}) => {
      const queued = { when_busy: 'queue', message_id: prompt, ...fields }
      return (await ask(prompt, queued, { prefer: 'respond-async' })).status
    },
    rename: (title, fields = {}) => post(session, { title, ...fields }, {}, 'PATCH'),
    withdraw: (messageId) => send(`${session}/queue/${messageId}`, { method: 'DELETE' }),
    view: async () => (await (await send(session)).json()) as SessionView,
    log: async () => readStream(await send(`${session}/stream?cursor=0&compact=0`)),
  }
}

/** A model whose answer depends only on the newest message of the conversation. */
function createModel() {
  const replies = [
    { content: [call('t1', 'slow')] },
    { content: [call('c1', 'confirm')] },
    { content: [text('done')] },
  ]
  return createScriptedModel(replies, ({ messages }) => {
    const newest = JSON.stringify(messages.at(-1)?.content.at(-1))
    if (newest.includes('"hold')) return 0
    return newest.includes('"ask') ? 1 : 2
  })
}

/** The prompts whose runs are in a log, by their keys, in order. */
export function runsIn(log: ReadStream): readonly (string | undefined)[] {
  return toMessages(log)
    .filter(({ type }) => type === 'meta_init')
    .map(({ delta }) => (JSON.parse(delta) as { message_id?: string }).message_id)
}

/** The queue in a log: states and keys, in order. */
export function queueIn(log: ReadStream): readonly string[] {
  return toMessages(log)
    .filter(({ type }) => type === 'queued_prompt')
    .map(({ state, message_id: id }) => `${String(state)} ${String(id)}`)
}

/** The stop reasons of the runs of a log, in order. */
export function endsIn(log: ReadStream): readonly string[] {
  return toMessages(log)
    .filter(({ type }) => type === 'meta_end')
    .map(({ delta }) => (JSON.parse(delta) as { stop_reason: string }).stop_reason)
}

/** The key of the run of a stream. */
export function keyOf(stream: ReadStream): unknown {
  return (payloadOf(stream, 'meta_init') as { message_id?: string } | undefined)?.message_id
}
