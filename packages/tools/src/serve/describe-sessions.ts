import { decodeStoreAddress, describeStore } from 'millrace/node'
import type { LoadedAgents } from './load-agents.ts'

/** Says for people where sessions are: at the address, unless a module has brought a store of its own. */
export function describeSessions({ store }: LoadedAgents['options'], storeAddress: string): string {
  return store === undefined
    ? describeStore(decodeStoreAddress(storeAddress))
    : 'in the store of the module'
}
