import { type ProcessOwner, decodeStoreAddress, describeStore } from 'millrace/node'
import { createHandler, type Handler, type HandlerOptions, type Store } from 'millrace/server'
import type { LoadedAgents } from './load-agents.ts'

interface AgentHandlerParts extends Pick<
  HandlerOptions,
  'keep' | 'onViolation' | 'token' | 'version'
> {
  readonly store: Store
  readonly owner: ProcessOwner
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins?: readonly string[]
  readonly webhooks?: NonNullable<HandlerOptions['webhooks']>
  readonly observers: NonNullable<HandlerOptions['observers']>
  readonly onError: NonNullable<HandlerOptions['onError']>
}

/** Creates the handler of loaded agents. Joins the lists of the command and of its module; both receive errors. */
export function createAgentHandler(
  { agents, defaultAgent, options: own }: Omit<LoadedAgents, 'close'>,
  parts: AgentHandlerParts,
): Handler {
  const { store, owner, token, version, keep, onViolation } = parts
  const { allowedOrigins = [], webhooks = [] } = parts
  return createHandler({
    ...(version !== undefined && { version }),
    ...(onViolation !== undefined && { onViolation }),
    ...own,
    ...(keep !== undefined && { keep: { ...own.keep, ...keep } }),
    ...owner,
    agents,
    defaultAgent,
    store,
    ...(token !== undefined && { token }),
    allowedHosts: [...parts.allowedHosts, ...(own.allowedHosts ?? [])],
    allowedOrigins: [...allowedOrigins, ...(own.allowedOrigins ?? [])],
    webhooks: [...webhooks, ...(own.webhooks ?? [])],
    observers: [...parts.observers, ...(own.observers ?? [])],
    onError: (error, place) => {
      parts.onError(error, place)
      own.onError?.(error, place)
    },
  })
}

/** Describes the location of sessions: the address, or the store of the module. */
export function describeSessions({ store }: LoadedAgents['options'], storeAddress: string): string {
  return store === undefined
    ? describeStore(decodeStoreAddress(storeAddress))
    : 'in the store of the module'
}
