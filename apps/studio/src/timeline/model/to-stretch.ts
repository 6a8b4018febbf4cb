import { toCount, toDuration } from '../../ui/format.ts'
import type { Run } from './timeline.ts'

/** A stretch of a run: a duration, or messages where times are not known. */
export function toStretch(length: number, clock: Run['clock']): string {
  if (clock === 'time') return toDuration(length)
  return `${toCount(length)} ${length === 1 ? 'message' : 'messages'}`
}
