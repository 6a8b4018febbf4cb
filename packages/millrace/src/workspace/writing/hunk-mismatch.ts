import { MillraceError } from '../../errors/index.ts'
import { quote } from '../paths/quote.ts'
import type { Hunk } from './hunk.ts'
import type { NoMatch } from './position-finder.ts'

/** A hunk that does not match, and the text. */
export interface HunkMismatch extends NoMatch {
  readonly hunk: Hunk
  readonly total: number
  /** The lines of the text, without line ends. */
  readonly bare: readonly string[]
}

/** Number of lines shown before and after the differing one. */
const SHOWN_AROUND = 4
const LONGEST_LINE = 200

const explanations: Readonly<Record<NoMatch['reason'], (hunkMismatch: HunkMismatch) => string>> = {
  absent: explainAbsence,
  ambiguous: () =>
    'fits in more than one place; give its line number in the header, or more lines around it.',
  unanchored: () =>
    'has neither a line number nor lines that stay or go, so its place is unknown; add lines of the file around it.',
}

/** Creates the error for a hunk that does not match: its number, the reason, and the lines of the file. */
export function hunkMismatch(found: HunkMismatch): MillraceError {
  const { hunk, total, reason } = found
  return new MillraceError(
    'conflict',
    `Hunk ${hunk.number} of ${total} ${explanations[reason](found)} Nothing was changed.`,
  )
}

function explainAbsence({ hunk, bare, nearest, fitting }: HunkMismatch): string {
  const where = hunk.start === undefined ? '' : ` (at line ${hunk.start})`
  if (bare.length === 0) return `does not fit${where}: the file is empty.`
  const line = nearest + fitting
  const has = bare[line]
  const found =
    fitting === 0
      ? 'Its first line is not found there or later.'
      : `Its first lines are found at line ${nearest + 1}, but not all of them.`
  const is = has === undefined ? 'the file has ended' : `the file has ${quote(has)}`
  return [
    `does not fit${where}. ${found} At line ${line + 1} ${is} where the patch has `,
    `${quote(hunk.old[fitting] ?? '')}. The file there:\n${showLines(bare, line)}\n`,
    'Hunks must be in the order of the file.',
  ].join('')
}

function showLines(bare: readonly string[], line: number): string {
  const from = Math.max(0, Math.min(line, bare.length) - SHOWN_AROUND)
  return bare
    .slice(from, line + SHOWN_AROUND + 1)
    .map((text, index) => `${String(from + index + 1).padStart(6)}\t${text.slice(0, LONGEST_LINE)}`)
    .join('\n')
}
