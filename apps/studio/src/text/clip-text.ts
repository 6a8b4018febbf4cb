import { foldBlanks } from './fold-blanks.ts'

/** The part of a text that fits into a card, and the size of the rest. */
export interface ClippedText {
  readonly text: string
  readonly hiddenLines: number
  readonly hiddenCharacters: number
}

/** The number of rows that a card shows first. */
const MAX_ROWS = 20
/** A rest of this many rows is shown too, because a button takes as much space. */
const SMALL_REST = 4
/** The number of characters in a row. */
const ROW_LENGTH = 90

interface Line {
  readonly start: number
  readonly end: number
  readonly rows: number
}

/** Clips a text after some rows; long lines and collapsed blanks count as the rows that they take. */
export function clipText(text: string): ClippedText {
  const cut = findCut(text)
  return {
    text: text.slice(0, cut),
    hiddenLines: countLines(text.slice(cut)),
    hiddenCharacters: text.length - cut,
  }
}

function findCut(text: string): number {
  let cut = -1
  let rows = 0
  for (const line of listLines(text)) {
    const left = MAX_ROWS - rows
    if (cut < 0 && line.rows >= left) {
      cut = line.rows === left ? line.end : withoutHalf(text, line.start + left * ROW_LENGTH)
    }
    rows += line.rows
    if (rows > MAX_ROWS + SMALL_REST) return cut
  }
  return text.length
}

/** Counts the lines of a text; a final line break adds none. */
export function countLines(text: string): number {
  if (text === '') return 0
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Lists the lines as they are drawn; a run of blank lines is one. */
function* listLines(text: string): Generator<Line> {
  let start = 0
  let offset = 0
  /** Number of characters drawn in the line so far. */
  let length = 0
  for (const { kind, text: part } of foldBlanks(text)) {
    const end = offset + part.length
    if (kind === 'lines') yield { start: offset, end, rows: 1 }
    for (let at = 0; kind === 'text' && (at = part.indexOf('\n', at) + 1) > 0;) {
      yield { start, end: offset + at, rows: toRows(length + offset + at - 1 - start) }
      start = offset + at
      length = 0
    }
    // A collapsed run takes less space than its characters.
    if (kind === 'lines') start = end
    if (kind === 'spaces') length -= part.length - 1
    offset = end
  }
  if (start < offset) yield { start, end: offset, rows: toRows(length + offset - start) }
}

function toRows(length: number): number {
  return Math.max(1, Math.ceil(length / ROW_LENGTH))
}

/** Returns an offset, moved out of a surrogate pair. */
function withoutHalf(text: string, end: number): number {
  return /[\ud800-\udbff]$/.test(text.slice(end - 1, end)) ? end - 1 : end
}
