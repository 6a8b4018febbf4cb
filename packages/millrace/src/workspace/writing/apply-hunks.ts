import { MillraceError } from '../../errors/index.ts'
import { quote } from '../paths/root.ts'
import type { Hunk } from './read-patch.ts'
import { createPositionFinder, type NoMatch } from './position-finder.ts'

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

/** Applies all hunks of a patch. Throws for the first one that does not match and quotes the text there. */
export function applyHunks(text: string, hunks: readonly Hunk[]) {
  const { lines, lineEnd, endsWithoutNewline } = toTextLines(text)
  const bare = lines.map(withoutEnd)
  const finder = createPositionFinder(bare)
  const result: string[] = []
  const notes: string[] = []
  let taken = 0
  let shift = 0
  for (const hunk of hunks) {
    const asked = hunk.start === undefined ? undefined : hunk.start - 1
    const expected = asked === undefined ? undefined : asked + shift
    const place = finder.find({ old: hunk.old, least: taken, expected })
    if (typeof place !== 'number') throw hunkMismatch({ hunk, total: hunks.length, bare, ...place })
    for (; taken < place; taken++) result.push(lines[taken] ?? '')
    for (const { kind, text: added } of hunk.steps) {
      if (kind === 'add') result.push(added + lineEnd)
      if (kind === 'keep') result.push(lines[taken] ?? '')
      if (kind !== 'add') taken += 1
    }
    shift = asked === undefined ? shift : place - asked
    if (shift !== 0) notes.push(`hunk ${hunk.number} fitted at line ${place + 1}`)
  }
  const isAtEnd = taken === lines.length
  for (; taken < lines.length; taken++) result.push(lines[taken] ?? '')
  const endsBare = (isAtEnd ? hunks.at(-1)?.endsWithoutNewline : undefined) ?? endsWithoutNewline
  return {
    text: joinTextLines(result, lineEnd, endsBare),
    /** Notes about hunks that matched at another line. */
    notes,
  }
}

/** Splits a text into lines. The last line may lack a line end. */
function toTextLines(text: string) {
  const lines: string[] = []
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const next = end === -1 ? text.length : end + 1
    lines.push(text.slice(from, next))
    from = next
  }
  const ended = lines.filter((line) => line.endsWith('\n')).length
  const windows = lines.filter((line) => line.endsWith('\r\n')).length
  return {
    lines,
    /** The most frequent line end. */
    lineEnd: windows * 2 > ended ? '\r\n' : '\n',
    endsWithoutNewline: text !== '' && !text.endsWith('\n'),
  }
}

/** Joins lines. Adds missing line ends, except to the last line if `endsWithoutNewline`. */
function joinTextLines(
  lines: readonly string[],
  lineEnd: string,
  endsWithoutNewline: boolean,
): string {
  const last = lines.length - 1
  const ended = lines.map((line, index) => {
    if (index === last && endsWithoutNewline) return withoutEnd(line)
    return line.endsWith('\n') ? line : line + lineEnd
  })
  return ended.join('')
}

function withoutEnd(line: string): string {
  if (!line.endsWith('\n')) return line
  return line.slice(0, line.endsWith('\r\n') ? -2 : -1)
}

/** A hunk that does not match, and the text. */
interface HunkMismatch extends NoMatch {
  readonly hunk: Hunk
  readonly total: number
  /** The lines of the text, without line ends. */
  readonly bare: readonly string[]
}

/** Creates the error for a hunk that does not match: its number, the reason, and the lines of the file. */
function hunkMismatch(found: HunkMismatch): MillraceError {
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
