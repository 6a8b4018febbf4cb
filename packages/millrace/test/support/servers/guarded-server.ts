import { createAgent } from '../../../src/agent/create-agent.ts'
import { fromProducer } from '../../../src/agent/foreign/producer/from-producer.ts'
import { defineTool } from '../../../src/tools/define-tool.ts'
import { createHandler, type Handler } from '../../../src/server/handler.ts'
import type { HandlerOptions } from '../../../src/server/handler-options.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import { anything, call, confirm, text } from '../agents/agent-harness.ts'
import { createScriptedModel, type ScriptedReply } from '../agents/scripted-model.ts'
import { createWatchedStore, type WatchedStore } from '../stores/watched-store.ts'

/** Text that only the owner of the other session may receive. */
export const CANARY = 'canary-7f3a91'

/** The sessions of a {@link GuardedServer}, by their states. */
export const sessions = {
  /** Waits for the browser to answer the call `c1`. */
  paused: '00000000-0000-4000-8000-000000000001',
  /** Waits for a decision on the call `a1`. */
  waiting: '00000000-0000-4000-8000-000000000002',
  ended: '00000000-0000-4000-8000-000000000003',
  running: '00000000-0000-4000-8000-000000000004',
  /** The session of another user: paused like the first, with the same call. */
  theirs: '00000000-0000-4000-8000-000000000005',
  unknown: '00000000-0000-4000-8000-00000000000f',
} as const

/** A server with a session in every state, one of which belongs to another user. */
export interface GuardedServer {
  readonly handler: Handler
  readonly store: WatchedStore
  readonly errors: readonly unknown[]
  /** Uploaded files: of the paused session, and of that of the other user. */
  readonly files: { readonly own: string; readonly theirs: string }
  /** Creates another handler on the same sessions. */
  readonly reopen: (options: Partial<HandlerOptions>) => Handler
  readonly close: () => Promise<void>
}

/** Sends a request to a handler; a plain object is sent as JSON. */
export function send(handler: Handler, path: string, body?: unknown): Promise<Response> {
  const init: RequestInit =
    body instanceof FormData
      ? { method: 'POST', body }
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }
  return handler.fetch(new Request(`http://localhost${path}`, body === undefined ? {} : init))
}

/** Opens a {@link GuardedServer}. */
export async function openGuardedServer(
  options: Partial<HandlerOptions> = {},
): Promise<GuardedServer> {
  const store = createWatchedStore(options.store ?? createMemoryStore())
  const errors: unknown[] = []
  let isOpen = true
  const handler = createHandler({
    agents: createAgents(),
    defaultAgent: 'talks',
    onError: (error) => errors.push(error),
    // During the setup every request is authorized.
    authorize: (_, __, session) => isOpen || session !== sessions.theirs,
    ...options,
    store,
    limits: { leaseMs: 3_600_000, ...options.limits },
  })
  const ask = async (agent_uuid: string, agent_type: string, user_prompt: string) => {
    const response = await send(handler, '/agent/run', { agent_uuid, agent_type, user_prompt })
    if (agent_uuid === sessions.running) await response.body?.cancel()
    else await response.text()
  }
  await ask(sessions.paused, 'asks', 'my own question')
  await ask(sessions.waiting, 'erases', 'clean up')
  await ask(sessions.ended, 'talks', 'hello')
  await ask(sessions.running, 'hangs', 'wait')
  await ask(sessions.theirs, 'asks', CANARY)
  const files = {
    own: await upload(handler, sessions.paused, 'mine'),
    theirs: await upload(handler, sessions.theirs, CANARY),
  }
  isOpen = false
  const others: Handler[] = []
  const reopen = (other: Partial<HandlerOptions>): Handler => {
    const agents = createAgents()
    const opened = createHandler({ agents, defaultAgent: 'talks', store, ...other })
    others.push(opened)
    return opened
  }
  const close = async (): Promise<void> => {
    await Promise.all([handler, ...others].map((each) => each.close()))
  }
  return { handler, store, errors, files, reopen, close }
}

function createAgents() {
  const agent = (name: string, ...replies: ScriptedReply[]) => {
    const erase = defineTool({
      name: 'erase',
      description: '',
      input: anything,
      needsApproval: true,
      run: () => 'erased',
    })
    // Each prompt is the first for its model.
    const model = { ...createScriptedModel([]), stream: fresh(replies) }
    return createAgent({ name, model, tools: [confirm, erase] })
  }
  return {
    asks: agent('asks', { content: [call('c1', 'confirm')] }),
    erases: agent('erases', { content: [call('a1', 'erase')] }),
    talks: agent('talks', { content: [text('good day')] }),
    hangs: agent('hangs', { hangs: 'until_aborted' }),
    waits: fromProducer({ name: 'waits' }),
  }
}

function fresh(
  replies: readonly ScriptedReply[],
): ReturnType<typeof createScriptedModel>['stream'] {
  return (request, given) => {
    const isFollowUp = request.messages.some(({ role }) => role === 'assistant')
    return createScriptedModel(isFollowUp ? [] : replies).stream(request, given)
  }
}

async function upload(handler: Handler, session: string, words: string): Promise<string> {
  const form = new FormData()
  form.set('agent_uuid', session)
  form.append('files', new File([words], `${words}.txt`, { type: 'text/plain' }))
  const response = await send(handler, '/agent/upload', form)
  const { files } = (await response.json()) as { files: [{ id: string }] }
  return files[0].id
}
