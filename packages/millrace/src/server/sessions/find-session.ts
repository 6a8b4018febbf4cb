import { logReplaced, type SessionInfo, type Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from './load-session.ts'
import { type LogRange, sessionMissing } from '../runs/run-services.ts'
import { rootAgentOf, type SessionHead } from './session-record.ts'

/** A session that has had a prompt or an upload; after an upload alone it has no head. */
export interface UsedSession {
  readonly info: SessionInfo
  readonly head: SessionHead | undefined
}

/** The position of a reader in a session. */
interface SeenLog {
  readonly after?: number
  readonly log?: string | undefined
}

/**
 * Finds a session. Throws `not_found` if there is none, and `log_truncated` if the store has lost frames at a reader's position. If the
 * caller names a log, throws `log_replaced` if the session has another one or is gone. [LOG-12]
 */
async function findInfo(
  store: Store,
  session: string,
  { after = -1, log }: SeenLog = {},
): Promise<SessionInfo> {
  const info = await mapStoreErrors(store.info(session))
  if (log !== undefined && log !== info?.log) throw logReplaced(session, log, info)
  if (info === undefined) throw sessionMissing(session)
  if (after >= info.tail) await mapStoreErrors(store.read(session, after, 1))
  return info
}

/**
 * Finds a session that has had a prompt or an upload. Others were opened by a process that died before it stored the first prompt, and
 * clients send that prompt again.
 */
export async function findUsedSession(
  store: Store,
  session: string,
  seen?: SeenLog,
): Promise<UsedSession> {
  const info = await findInfo(store, session, seen)
  const head = headOf(info)
  const isUsed = head !== undefined || (await mapStoreErrors(store.fileIds(session))).length > 0
  if (!isUsed) throw sessionMissing(session)
  return { info, head }
}

/** Finds a session that has had a prompt, with its head. */
export async function findSession(
  store: Store,
  session: string,
  seen?: SeenLog,
): Promise<{ readonly info: SessionInfo; readonly head: SessionHead }> {
  const info = await findInfo(store, session, seen)
  const head = headOf(info)
  if (head === undefined) throw sessionMissing(session)
  return { info, head }
}

/** Returns the end of a log, up to which a new reader catches up. */
export function endOf({
  info,
  head,
}: UsedSession): Pick<LogRange, 'tail' | 'lastRollback' | 'root' | 'forkedAfter'> {
  const { lastRollback, forkedFrom } = head ?? {}
  const root = rootAgentOf(info.session, head)
  return {
    tail: info.tail,
    root,
    ...(lastRollback !== undefined && { lastRollback }),
    ...(forkedFrom !== undefined && { forkedAfter: forkedFrom.frame }),
  }
}
