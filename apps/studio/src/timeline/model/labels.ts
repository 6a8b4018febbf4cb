import { toCount, toDuration } from '../../text/index.ts'
import type { Run } from './timeline.ts'

/** Formats a length of a run: a duration, or messages without known times. */
export function toStretch(length: number, clock: Run['clock']): string {
  if (clock === 'time') return toDuration(length)
  return `${toCount(length)} ${length === 1 ? 'message' : 'messages'}`
}

const MAX_LENGTH = 60

/** Returns the name of a run: its number and the beginning of its prompt. */
export function runName({ number, prompt }: Run): string {
  const text = prompt.replaceAll(/\s+/g, ' ').trim()
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
  return short === '' ? `Run ${number}` : `Run ${number}: ${short}`
}
