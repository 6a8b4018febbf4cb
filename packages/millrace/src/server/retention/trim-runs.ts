import { isMillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import type { RunServices } from '../runs/run-services.ts'
import { readRunFrames } from '../runs/stored-run.ts'

/** Trims the frames of runs before the newest `keepRuns`, after run number `newest` has ended or paused. */
export async function trimRuns(
  { store, keepRuns, observer, onError }: RunServices,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
  newest: number,
): Promise<void> {
  if (keepRuns === undefined || newest <= keepRuns) return
  try {
    const range = { before: newest - keepRuns + 2, limit: 1 }
    const [oldest] = await readRunFrames({ store, session }, range)
    const earliest = (await store.info(session))?.earliest ?? Infinity
    if (oldest === undefined || oldest.first <= earliest) return
    await store.trim(session, oldest.first, log)
    observer.logTrimmed({ session, earliest: oldest.first })
  } catch (error) {
    // The session may have been removed or recreated.
    const isGone = isMillraceError(error) && ['not_found', 'log_replaced'].includes(error.code)
    if (!isGone) onError(error, { session })
  }
}
