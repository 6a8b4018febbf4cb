import { logReplaced, type SessionInfo, type Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from './load-session.ts'
import { type LogRange, sessionMissing } from '../runs/run-services.ts'
import { rootAgentOf, type SessionHead } from './session-record.ts'

/** A session that was asked something. */
export interface FoundSession {
  readonly info: SessionInfo
  readonly head: SessionHead
}

/**
 * Looks a session up; throws `not_found` if nothing was ever asked there, or it is only being made, and `log_truncated`
 * for a reader that has come to an id behind which the store has lost what there was. A caller that names a log is
 * told `log_replaced` if the session has another one, or is gone. [LOG-12]
 */
export async function findSession(
  store: Store,
  session: string,
  { after = -1, log }: { readonly after?: number; readonly log?: string | undefined } = {},
): Promise<FoundSession> {
  const info = await mapStoreErrors(store.info(session))
  if (log !== undefined && log !== info?.log) throw logReplaced(session, log, info)
  if (info !== undefined && after >= info.tail) await mapStoreErrors(store.read(session, after, 1))
  const head = headOf(info)
  if (info === undefined || head === undefined) throw sessionMissing(session)
  return { info, head }
}

/** The end of a log when a reader comes: it catches up to there. */
export function endOf({
  info,
  head,
}: FoundSession): Pick<LogRange, 'tail' | 'lastRollback' | 'root' | 'forkedAfter'> {
  const { lastRollback, forkedFrom } = head
  const root = rootAgentOf(info.session, head)
  return {
    tail: info.tail,
    root,
    ...(lastRollback !== undefined && { lastRollback }),
    ...(forkedFrom !== undefined && { forkedAfter: forkedFrom.frame }),
  }
}
