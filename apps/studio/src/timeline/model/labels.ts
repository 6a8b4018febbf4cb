import { toCount, toDuration } from '../../text/index.ts'
import type { Run } from './timeline.ts'

/** A stretch of a run: a duration, or messages where times are not known. */
export function toStretch(length: number, clock: Run['clock']): string {
  if (clock === 'time') return toDuration(length)
  return `${toCount(length)} ${length === 1 ? 'message' : 'messages'}`
}

const MAX_LENGTH = 60

/** What to call a run: its number and the beginning of its question. */
export function runName({ number, prompt }: Run): string {
  const text = prompt.replaceAll(/\s+/g, ' ').trim()
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
  return short === '' ? `Run ${number}` : `Run ${number}: ${short}`
}
