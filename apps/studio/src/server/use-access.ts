import { useSyncExternalStore } from 'react'
import { accessTo } from './access.ts'
import type { AccessState } from './access.ts'

/** How the page stands with a server. */
export function useAccess(server: string): AccessState {
  const { subscribe, getSnapshot } = accessTo(server)
  return useSyncExternalStore(subscribe, getSnapshot)
}
