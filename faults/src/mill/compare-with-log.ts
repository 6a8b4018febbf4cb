import type { SeenFrame } from './follow-session.ts'

/** The differences between the frames of a reader and a log; all 0 without a difference. */
export interface Differences {
  /** Frames that never arrived. */
  gaps: number
  /** Frames that arrived again, or out of order. */
  doubles: number
  changed: number
}

/** Creates differences without any, for additions. */
export function noDifferences(): Differences {
  return { gaps: 0, doubles: 0, changed: 0 }
}

/** Adds the differences between frames in order of arrival and a log; a merged frame represents its frames. */
export function compareWithLog(
  frames: readonly SeenFrame[],
  log: readonly string[],
  found: Differences = noDifferences(),
): Differences {
  let last = 0
  for (const { id, data } of frames) {
    const { span = 1 } = JSON.parse(data) as Message
    const first = id - span + 1
    if (first <= last) found.doubles += Math.min(span, last - first + 1)
    else found.gaps += first - last - 1
    if (!isSame(data, log.slice(first - 1, id))) found.changed++
    last = Math.max(last, id)
  }
  found.gaps += Math.max(0, log.length - last)
  return found
}

interface Message {
  readonly delta: string
  readonly final: boolean
  readonly span?: number
  readonly [extra: string]: unknown
}

function isSame(data: string, lines: readonly string[]): boolean {
  const [first] = lines
  if (first === undefined) return false
  if (lines.length === 1) return data === first
  const { span, ...merged } = JSON.parse(data) as Message
  const parts = lines.map((line) => JSON.parse(line) as Message)
  const delta = parts.map((part) => part.delta).join('')
  const last = parts.at(-1)
  const rest = { ...parts[0], delta: '', final: last?.final }
  return (
    span === lines.length &&
    merged.delta === delta &&
    JSON.stringify({ ...merged, delta: '' }) === JSON.stringify(rest)
  )
}
