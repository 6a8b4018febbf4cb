import type { FoundPiece } from './pattern-worker.ts'

/** Formats the matches of a search as text. */
export interface MatchReport {
  /** Adds the matching lines of one file. */
  add(shown: string, text: string, found: readonly FoundPiece[]): void
  readonly count: number
  /** Whether the limit of matches or characters is reached. */
  readonly isFull: boolean
  readonly text: string
}

/** Options of {@link createMatchReport}. */
export interface MatchReportOptions {
  /** Number of lines shown before and after each match. */
  readonly context: number
  readonly limit: number
  readonly maxChars: number
}

/** Number of characters of a long line shown before the match, and in total. */
const SHOWN_BEFORE = 80
const SHOWN_CHARS = 300

/** Creates a report in the format of grep: a heading for each file, "12:" before a match, "12-" before context. */
export function createMatchReport({ context, limit, maxChars }: MatchReportOptions): MatchReport {
  const lines: string[] = []
  let chars = 0
  let count = 0
  const push = (line: string): void => {
    lines.push(line)
    chars += line.length + 1
  }
  return {
    add(shown, text, found) {
      if (found.length === 0) return
      const all = text.replace(/\n$/, '').split('\n')
      const columns = new Map(found.map(({ piece, column }) => [piece, column]))
      push(lines.length === 0 ? shown : `\n${shown}`)
      let next = 0
      for (const { piece } of found) {
        if (chars > maxChars) return
        const from = Math.max(next, piece - context)
        const last = Math.min(piece + context, all.length - 1)
        if (next > 0 && from > next && context > 0) push('--')
        for (let index = from; index <= last; index++) {
          const column = columns.get(index)
          push(
            `${index + 1}${column === undefined ? '-' : ':'} ${excerpt(all[index] ?? '', column)}`,
          )
          if (column !== undefined) count += 1
        }
        next = Math.max(next, last + 1)
      }
    },
    get count() {
      return count
    },
    get isFull() {
      return count >= limit || chars > maxChars
    },
    get text() {
      return lines.join('\n')
    },
  }
}

function excerpt(line: string, column = 0): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line
  if (whole.length <= SHOWN_CHARS) return whole
  const from = Math.max(0, column - SHOWN_BEFORE)
  const end = from + SHOWN_CHARS
  return `${from > 0 ? '…' : ''}${whole.slice(from, end)}${end < whole.length ? '…' : ''}`
}
