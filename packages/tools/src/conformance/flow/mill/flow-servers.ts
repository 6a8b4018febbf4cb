import type { Violation } from 'millrace'
import { serve } from 'millrace/node'
import { createHandler } from 'millrace/server'
import { createMemoryStore, type Store } from 'millrace/store'
import { toRootAgent } from './flow-agents.ts'
import type { FlowInput } from '../flow-input.ts'
import { type FlowModels, openModels } from './flow-models.ts'
import type { ToolLog, ToolWorld } from './flow-tools.ts'

/** The servers of one case, with real sockets and one store, and its models. */
export interface FlowServers {
  /** Returns the URL of a server, from 1. */
  url(server: number): string
  /** Whether a server was neither closed nor killed. */
  isOpen(server: number): boolean
  readonly models: FlowModels
  readonly store: Store
  readonly tools: ToolLog
  readonly violations: readonly Violation[]
  /** Errors that clients did not get. */
  readonly errors: readonly unknown[]
  /** Sets whether the store fails to load sessions. */
  breakStore(isBroken: boolean): void
  /** Closes a server, which hands off its runs. */
  closeServer(server: number): Promise<void>
  /** Kills a server: nothing that it does reaches the store any more. */
  killServer(server: number): Promise<void>
  close(): Promise<void>
}

interface FlowServersOptions extends Pick<ToolWorld, 'mayAnswer' | 'until'> {
  readonly count: number
}

interface FlowServer {
  readonly url: string
  readonly close: () => Promise<void>
  state: 'open' | 'closed' | 'killed'
}

/** Starts the models and the servers of a case. */
export async function openFlowServers(
  input: FlowInput,
  { count, mayAnswer, until }: FlowServersOptions,
): Promise<FlowServers> {
  const violations: Violation[] = []
  const errors: unknown[] = []
  const log: ToolLog = { runs: [], running: 0, maxConcurrent: 0 }
  const models = await openModels()
  const onError = (error: unknown): void => void errors.push(error)
  const agent = toRootAgent(input, { models, log, mayAnswer, until, onError })
  const store = createMemoryStore()
  const servers: FlowServer[] = []
  let isBroken = false

  const isKilled = (node: string): boolean => servers[Number(node) - 1]?.state === 'killed'

  const openServer = async (node: string): Promise<FlowServer> => {
    const handler = createHandler({
      agents: { root: agent },
      defaultAgent: 'root',
      store: guardStore(store, (method) => {
        if (isKilled(node)) throw new Error('This server was killed.')
        if (isBroken && method === 'info') throw new Error('The disk does not respond.')
      }),
      onError: (error) => void (isKilled(node) || onError(error)),
      onViolation: (violation) => violations.push(violation),
      node,
      isGone: isKilled,
      limits: { ...(input.max_line_bytes !== undefined && { maxLineBytes: input.max_line_bytes }) },
    })
    const { url, close } = await serve({ handler, port: 0, closeGraceMs: 500 })
    return { url, close, state: 'open' }
  }

  const end = async (server: number, state: 'closed' | 'killed'): Promise<void> => {
    const one = servers[server - 1]
    if (one?.state !== 'open') return
    one.state = state
    await one.close()
  }

  for (let node = 1; node <= count; node++) servers.push(await openServer(String(node)))
  return {
    url: (server) => servers[server - 1]?.url ?? '',
    isOpen: (server) => servers[server - 1]?.state === 'open',
    models,
    store,
    tools: log,
    violations,
    errors,
    breakStore: (isNow) => void (isBroken = isNow),
    closeServer: (server) => end(server, 'closed'),
    killServer: (server) => end(server, 'killed'),
    close: async () => {
      await Promise.all(servers.map((_, index) => end(index + 1, 'closed')))
      await models.close()
      await store.close()
    },
  }
}

/** A method of a store that returns a promise. */
type StoreMethod = (...parameters: readonly unknown[]) => Promise<unknown>

/** Wraps a store that outlives its servers, with a check before each call that may throw. */
function guardStore(store: Store, check: (method: string) => void): Store {
  const guard =
    (name: string, method: StoreMethod): StoreMethod =>
    async (...parameters) => {
      check(name)
      return method(...parameters)
    }
  // `onCommand` returns no promise that could reject.
  const { isDurable: _, onCommand, ...methods } = store
  const guarded = Object.entries(methods).map(([name, method]) => [
    name,
    guard(name, method as StoreMethod),
  ])
  return { ...(Object.fromEntries(guarded) as typeof methods), onCommand, isDurable: true }
}
