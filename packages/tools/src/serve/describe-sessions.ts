import { decodeStoreAddress, describeStore } from 'millrace/node'
import type { LoadedAgents } from './load-agents.ts'

/** Describes the location of sessions: the address, or the store of the module. */
export function describeSessions({ store }: LoadedAgents['options'], storeAddress: string): string {
  return store === undefined
    ? describeStore(decodeStoreAddress(storeAddress))
    : 'in the store of the module'
}
