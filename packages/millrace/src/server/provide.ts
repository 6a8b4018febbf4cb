import type { Store } from '../store/index.ts'
import { fromStore } from './from-store.ts'

/**
 * Makes a session if there is none. Whoever opens one becomes its writer, so one that is there is left as it is.
 * Needs the session's lock.
 */
export async function provide(store: Store, session: string): Promise<void> {
  if ((await fromStore(store.info(session))) === undefined) await fromStore(store.open(session))
}
