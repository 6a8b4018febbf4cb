import type { Conversation } from '../store/index.ts'
import { decodeTimes, type StoredTimes, type TimePair } from './run-times.ts'
import type { StoredSession } from './session-record.ts'

interface TimesViewOptions {
  readonly limit: number
  readonly stored: StoredSession
  /** Whether the run under way belongs to this part. */
  readonly isNewest: boolean
}

/** What a client sees of when messages were told: those of up to `limit` runs that were found, and of the one under way. */
export function toTimesView(
  found: readonly Conversation[],
  { limit, stored, isNewest }: TimesViewOptions,
): { readonly times: readonly TimePair[]; readonly has_more: boolean } {
  const shown = found.slice(0, limit).toReversed()
  const past = shown.flatMap(({ json }) => decodeTimes(timesIn(json)))
  // A run that has gone on since it paused is told by the record as well, from its beginning.
  const now = isNewest ? decodeTimes(stored.times ?? []) : []
  const [firstNow] = now[0] ?? [Infinity]
  const times = [...past.filter(([id]) => id < firstNow), ...now]
  return { times, has_more: found.length > limit }
}

function timesIn(json: string): StoredTimes {
  const { times = [] } = JSON.parse(json) as { readonly times?: StoredTimes }
  return times
}
