import { loadSession } from '../../../src/server/sessions/load-session.ts'
import type { StoredSession } from '../../../src/server/sessions/session-record.ts'
import type { Store } from '../../../src/stores/port/index.ts'

/** Reads all that is kept of a session. */
export async function loadStored(store: Store, session: string): Promise<StoredSession> {
  const loaded = await loadSession(store, await store.info(session))
  if (loaded === undefined) throw new Error(`Nothing is stored of session ${session}.`)
  return loaded.stored
}
