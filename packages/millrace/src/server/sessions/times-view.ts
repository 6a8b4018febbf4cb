import { decodeTimes, type TimePair } from '../runs/run-times.ts'
import { type HistorySource, readRunFrames, type RunRange } from '../runs/stored-run.ts'
import { readTimes } from '../runs/stored-times.ts'

interface TimesRange extends RunRange {
  /** The last frame of the log. */
  readonly tail: number
}

/** Reads the times of frames: of up to `limit` runs, and of the active run if the newest runs are read. */
export async function readTimesView(
  source: HistorySource,
  { before, limit, tail }: TimesRange,
): Promise<{ readonly times: readonly TimePair[]; readonly has_more: boolean }> {
  const found = await readRunFrames(source, { before, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const has_more = found.length > limit
  const first = has_more ? (shown.at(-1)?.first ?? 1) : 1
  const last = before === undefined ? tail : (shown[0]?.last ?? 0)
  const times = await readTimes(source.store, source.session, { first, last })
  // The record of the last run of version 0.1.0 has its times, too.
  const [firstId = Infinity] = times[0] ?? []
  const older = shown.toReversed().flatMap((run) => decodeTimes(run.times ?? []))
  return { times: [...older.filter(([id]) => id < firstId), ...times], has_more }
}
