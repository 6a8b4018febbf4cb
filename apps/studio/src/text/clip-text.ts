import { foldBlanks } from './fold-blanks.ts'

/** The part of a text that fits into a card, and how much of it is left out. */
export interface ClippedText {
  readonly text: string
  readonly hiddenLines: number
  readonly hiddenCharacters: number
}

/** How many rows of text a card shows before someone asks for all. */
const MAX_ROWS = 20
/** A rest of so many rows is shown as well: a button would take as much room. */
const SMALL_REST = 4
/** How many characters are counted as one row. */
const ROW_LENGTH = 90

interface Line {
  readonly start: number
  readonly end: number
  readonly rows: number
}

/** Cuts a text after some rows; long lines and folded runs of blanks count as the rows that they take. */
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

/** How many lines a text has; a line end at its end begins no other. */
export function countLines(text: string): number {
  if (text === '') return 0
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** The lines as they are drawn: a run of blank lines is one. */
function* listLines(text: string): Generator<Line> {
  let start = 0
  let offset = 0
  /** How many characters of the line are drawn so far. */
  let length = 0
  for (const { kind, text: part } of foldBlanks(text)) {
    const end = offset + part.length
    if (kind === 'lines') yield { start: offset, end, rows: 1 }
    for (let at = 0; kind === 'text' && (at = part.indexOf('\n', at) + 1) > 0;) {
      yield { start, end: offset + at, rows: toRows(length + offset + at - 1 - start) }
      start = offset + at
      length = 0
    }
    // A folded run takes less room than its characters.
    if (kind === 'lines') start = end
    if (kind === 'spaces') length -= part.length - 1
    offset = end
  }
  if (start < offset) yield { start, end: offset, rows: toRows(length + offset - start) }
}

function toRows(length: number): number {
  return Math.max(1, Math.ceil(length / ROW_LENGTH))
}

/** Where to cut so that the halves of a character stay together. */
function withoutHalf(text: string, end: number): number {
  return /[\ud800-\udbff]$/.test(text.slice(end - 1, end)) ? end - 1 : end
}
