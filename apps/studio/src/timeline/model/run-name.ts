import type { Run } from './timeline.ts'

const MAX_LENGTH = 60

/** What to call a run: its number and the beginning of its question. */
export function runName({ number, prompt }: Run): string {
  const text = prompt.replaceAll(/\s+/g, ' ').trim()
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
  return short === '' ? `Run ${number}` : `Run ${number}: ${short}`
}
