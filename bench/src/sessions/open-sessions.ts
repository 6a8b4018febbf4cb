import { openStore } from 'millrace/node'
import { type Append, createHandler, type Handler, type Store } from 'millrace/server'
import type { StoreKind } from '../servers/index.ts'
import { createWorkingAgent } from './working-agent.ts'

/** A handler on a store, in this process. */
export interface Sessions {
  readonly handler: Handler
  /** Bytes passed to the store since the last call, in appends, commands, forks and files, without frames. */
  takeBytes(): number
  /** Runs this many steps in a session. */
  work(session: string, steps: number): Promise<void>
  get(path: string): Promise<Response>
  post(path: string, body: object): Promise<Response>
  close(): Promise<void>
}

/** Opens a handler on an empty store. */
export async function openSessions({ open }: StoreKind): Promise<Sessions> {
  const opened = await open()
  const store = await openStore(opened.address)
  let bytes = 0
  const counting =
    <Given extends readonly unknown[], Result>(
      call: (...given: Given) => Result,
      size: (...given: Given) => number,
    ) =>
    (...given: Given): Result => {
      bytes += size(...given)
      return call(...given)
    }
  const counted: Store = {
    ...store,
    append: counting(store.append, sizeOf),
    fork: counting(store.fork, sizeOf),
    submit: counting(store.submit, (_, { body }) => body.length),
    settle: counting(store.settle, (_, { body }) => body.length),
    putFile: counting(store.putFile, (_, file) => file.bytes.length),
  }
  const agents = { worker: createWorkingAgent() }
  const handler = createHandler({ agents, defaultAgent: 'worker', store: counted })
  const get = (path: string) => handler.fetch(new Request(`http://localhost${path}`))
  const post = (path: string, body: object) =>
    handler.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  return {
    handler,
    takeBytes: () => {
      const taken = bytes
      bytes = 0
      return taken
    },
    work: async (session, steps) => {
      const response = await post('/agent/run', { agent_uuid: session, user_prompt: String(steps) })
      const text = await response.text()
      if (!text.includes('"stop_reason":"end_turn"') && !text.includes('end_turn'))
        throw new Error(`The run has failed: ${text.slice(-400)}`)
    },
    get,
    post,
    close: async () => {
      await handler.close()
      await store.close()
      await opened.close()
    },
  }
}

function sizeOf({
  head = '',
  parts = [],
  commands = [],
}: Pick<Append, 'head' | 'parts' | 'commands'>): number {
  const bodies = [...parts, ...commands].map(({ body }) => body?.length ?? 0)
  return head.length + bodies.reduce((sum, length) => sum + length, 0)
}
