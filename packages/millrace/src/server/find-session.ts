import type { SessionInfo, Store } from '../store/index.ts'
import { fromStore } from './from-store.ts'
import { sessionMissing, toStoredSession } from './run-context.ts'
import type { StoredSession } from './session-record.ts'

/** A session that was asked something. */
export interface FoundSession {
  readonly info: SessionInfo
  readonly stored: StoredSession
}

/**
 * Looks a session up; throws `not_found` if nothing was ever asked there, or it is only being made, and `log_truncated`
 * for a reader that has come to an id behind which the store has lost what there was.
 */
export async function findSession(
  store: Store,
  session: string,
  after = -1,
): Promise<FoundSession> {
  const info = await fromStore(store.info(session))
  if (info !== undefined && after >= info.tail) await fromStore(store.read(session, after, 1))
  const stored = toStoredSession(info)
  if (info === undefined || stored === undefined) throw sessionMissing(session)
  return { info, stored }
}
