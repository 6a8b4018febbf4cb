/** A stretch of Markdown that can be rendered by itself. */
export interface MarkdownPart {
  /** Where it begins in the text, which is also its identity. */
  readonly start: number
  readonly kind: 'prose' | 'fence'
  readonly text: string
  /** More of it may come. */
  readonly growing: boolean
}

/** The parts in groups: a full group is never touched again, so that it is rendered once. */
export type MarkdownGroups = readonly (readonly MarkdownPart[])[]

/** Splits Markdown that grows at its end, reading each line once. */
export interface MarkdownSplitter {
  /** Takes the whole text so far; what was settled before is returned as the same objects. */
  update(text: string, done: boolean): MarkdownGroups
}

type Kind = 'none' | 'prose' | 'list' | 'fence'

/** How many parts a group holds. */
const GROUP_SIZE = 24
/** Lists beyond this size are split between items too. */
const SOFT_LIMIT = 4_096

const blank = /^[ \t]*$/
const fenceOpener = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const listMarker = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const indented = /^(?: {4}|\t)/
const continuesItem = /^(?: {2}|\t)/

/** Creates a splitter at the beginning of a text. */
export function createMarkdownSplitter(): MarkdownSplitter {
  let groups: MarkdownPart[][] = []
  let scanned = 0
  let start = 0
  let kind: Kind = 'none'
  let afterBlank = false
  let fence = ''

  function begin(line: string, at: number): void {
    start = at
    kind = listMarker.test(line) ? 'list' : 'prose'
  }

  function settle(text: string, end: number): void {
    if (kind !== 'none') add(toPart(text.slice(start, end), false))
    kind = 'none'
    start = end
  }

  function toPart(text: string, growing: boolean): MarkdownPart {
    return { start, kind: kind === 'fence' ? 'fence' : 'prose', text, growing }
  }

  function add(part: MarkdownPart): void {
    const last = groups.at(-1)
    if (last && last.length < GROUP_SIZE) groups[groups.length - 1] = [...last, part]
    else groups.push([part])
  }

  function takeLine(text: string, from: number, end: number): void {
    const line = text.slice(from, end - 1)
    if (kind === 'fence') {
      if (closesFence(line, fence)) settle(text, end)
      return
    }
    if (blank.test(line)) {
      afterBlank = true
      return
    }
    const opener = fenceOpener.exec(line)
    if (opener && !(kind === 'list' && continuesItem.test(line))) {
      settle(text, from)
      kind = 'fence'
      fence = opener[2] ?? ''
      start = from
    } else {
      takeProse(text, line, from)
    }
    afterBlank = false
  }

  function takeProse(text: string, line: string, from: number): void {
    const marker = listMarker.test(line)
    const ends = afterBlank && !continuesPart(kind, line, marker)
    const tooLong = kind === 'list' && marker && !/^ /.test(line) && from - start > SOFT_LIMIT
    if (ends || tooLong) settle(text, from)
    if (kind === 'none') begin(line, from)
    else if (kind === 'prose' && marker) kind = 'list'
  }

  function reset(): void {
    groups = []
    scanned = start = 0
    kind = 'none'
    afterBlank = false
  }

  return {
    update(text, done) {
      if (text.length < scanned) reset()
      for (
        let end = text.indexOf('\n', scanned) + 1;
        end > 0;
        end = text.indexOf('\n', scanned) + 1
      ) {
        takeLine(text, scanned, end)
        scanned = end
      }
      return withTail(groups, tailOf(text, done))
    },
  }

  function tailOf(text: string, done: boolean): MarkdownPart | undefined {
    const from = kind === 'none' ? scanned : start
    if (from >= text.length) return undefined
    return { ...toPart(text.slice(from), !done), start: from }
  }
}

function withTail(groups: MarkdownPart[][], tail: MarkdownPart | undefined): MarkdownGroups {
  const last = groups.at(-1)
  if (!tail) return [...groups]
  if (last && last.length < GROUP_SIZE) return [...groups.slice(0, -1), [...last, tail]]
  return [...groups, [tail]]
}

function continuesPart(kind: Kind, line: string, marker: boolean): boolean {
  if (indented.test(line)) return true // code that began before the blank line goes on
  return kind === 'list' && (marker || continuesItem.test(line))
}

/** Tells whether a line ends a fence: the same character at least as often, and nothing else. */
export function closesFence(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && /^ {0,3}\S/.test(line) && isOnly(text, fence[0] ?? '')
}

function isOnly(text: string, char: string): boolean {
  for (const each of text) if (each !== char) return false
  return true
}
