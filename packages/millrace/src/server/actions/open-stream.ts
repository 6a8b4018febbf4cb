import { completedAt } from '../reading/completion.ts'
import { checkCursor, type Cursor } from '../requests/cursor.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { ServerContext } from '../server-context.ts'
import { endOf, findUsedSession } from '../sessions/load-session.ts'

/** The part of a session to stream. */
interface StreamPlace {
  readonly session: string
  readonly cursor: Cursor
  /** Whether the stream stays across pauses and runs. */
  readonly follows: boolean
}

/**
 * Finds the range of a stream from a cursor. It ends when the active run ends or pauses, after the replay if there is none, and never if
 * it follows the session.
 */
export async function openStream(
  { store, runs, readers }: ServerContext,
  { session, cursor, follows }: StreamPlace,
): Promise<LogRange> {
  await runs.recoverIfLapsed(session)
  // Read before the tail, so that a run that ends meanwhile is not truncated.
  let before = runs.active(session)
  let found = await findUsedSession(store, session, cursor)
  if (found.info.pending > 0 && before?.isEnding() !== false) {
    // A prompt that waited for the end of a run is about to start.
    await runs.carryOutPending(session)
    before = runs.active(session)
    found = await findUsedSession(store, session, cursor)
  }
  const { info } = found
  checkCursor(cursor, info)
  const run = before ?? runs.active(session)
  const stream = { session, ...cursor, log: info.log, ...endOf(found) }
  if (follows) return { ...stream, completion: readers.endless }
  const completion = run ?? (runs.isServed(info) ? runs.remote(info) : completedAt(info.tail))
  return { ...stream, completion }
}
