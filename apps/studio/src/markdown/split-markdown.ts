import { detach } from '../text/index.ts'

/** A part of Markdown that is rendered separately. */
export interface MarkdownPart {
  /** Offset in the text, and its identity. */
  readonly start: number
  readonly kind: 'prose' | 'fence'
  readonly text: string
  /** The part may grow. */
  readonly growing: boolean
}

/** Parts in groups; a full group never changes, so it is rendered once. */
type MarkdownGroups = readonly (readonly MarkdownPart[])[]

/** Splits Markdown that grows at its end; reads each line once. */
export interface MarkdownSplitter {
  /** Takes the whole text so far; returns the same objects for settled parts. */
  update(text: string, done: boolean): MarkdownGroups
}

type Kind = 'none' | 'prose' | 'list' | 'fence'

/** The number of parts in a group. */
const GROUP_SIZE = 24
/** Longer lists are also split between items. */
const SOFT_LIMIT = 4_096

const blank = /^[ \t]*$/
const fenceOpener = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const listMarker = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const indented = /^(?: {4}|\t)/
const continuesItem = /^(?: {2}|\t)/

/** Creates a splitter for a new text. */
export function createMarkdownSplitter(): MarkdownSplitter {
  return new LineSplitter()
}

class LineSplitter implements MarkdownSplitter {
  #groups: MarkdownPart[][] = []
  /** Offset of the first unread line. */
  #scanned = 0
  #start = 0
  #kind: Kind = 'none'
  #afterBlank = false
  #fence = ''

  update(text: string, done: boolean): MarkdownGroups {
    if (text.length < this.#scanned) this.#reset()
    for (;;) {
      const end = text.indexOf('\n', this.#scanned) + 1
      if (end === 0) break
      this.#takeLine(text, end)
      this.#scanned = end
    }
    const start = this.#kind === 'none' ? this.#scanned : this.#start
    if (start >= text.length) return withTail(this.#groups, undefined)
    // React keeps the last text of a part, and a slice would keep the whole text alive.
    const tail = this.#toPart(detach(text.slice(start)))
    return withTail(this.#groups, { ...tail, start, growing: !done })
  }

  #takeLine(text: string, end: number): void {
    const line = text.slice(this.#scanned, end - 1)
    if (this.#kind === 'fence') {
      if (closesFence(line, this.#fence)) this.#settle(text, end)
    } else if (blank.test(line)) {
      this.#afterBlank = true
    } else {
      this.#takeContent(text, line)
      this.#afterBlank = false
    }
  }

  #takeContent(text: string, line: string): void {
    const opener = fenceOpener.exec(line)
    if (!opener || (this.#kind === 'list' && continuesItem.test(line))) {
      this.#takeProse(text, line)
      return
    }
    this.#settle(text, this.#scanned)
    this.#kind = 'fence'
    this.#fence = opener[2] ?? ''
  }

  #takeProse(text: string, line: string): void {
    const isItem = listMarker.test(line)
    const isOver = this.#afterBlank && !continuesPart(this.#kind, line, isItem)
    const isLong = this.#scanned - this.#start > SOFT_LIMIT
    const isOuterItem = isItem && this.#kind === 'list' && !line.startsWith(' ')
    if (isOver || (isLong && isOuterItem)) this.#settle(text, this.#scanned)
    if (this.#kind === 'none') this.#start = this.#scanned
    if (this.#kind !== 'list') this.#kind = isItem ? 'list' : 'prose'
  }

  /** Ends the open part and begins the next one. */
  #settle(text: string, end: number): void {
    if (this.#kind !== 'none') this.#add(this.#toPart(detach(text.slice(this.#start, end))))
    this.#kind = 'none'
    this.#start = end
  }

  #toPart(text: string): MarkdownPart {
    const kind = this.#kind === 'fence' ? 'fence' : 'prose'
    return { start: this.#start, kind, text, growing: false }
  }

  #add(part: MarkdownPart): void {
    const last = this.#groups.at(-1)
    if (last && last.length < GROUP_SIZE) this.#groups.splice(-1, 1, [...last, part])
    else this.#groups.push([part])
  }

  #reset(): void {
    this.#groups = []
    this.#scanned = this.#start = 0
    this.#kind = 'none'
    this.#afterBlank = false
  }
}

function withTail(groups: MarkdownPart[][], tail: MarkdownPart | undefined): MarkdownGroups {
  const last = groups.at(-1)
  if (!tail) return [...groups]
  if (last && last.length < GROUP_SIZE) return [...groups.slice(0, -1), [...last, tail]]
  return [...groups, [tail]]
}

function continuesPart(kind: Kind, line: string, marker: boolean): boolean {
  if (indented.test(line)) return true // continues code from before the blank line
  return kind === 'list' && (marker || continuesItem.test(line))
}

/** Reports whether a line closes a fence: only the same character, at least as often. */
export function closesFence(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && /^ {0,3}\S/.test(line) && isOnly(text, fence[0] ?? '')
}

function isOnly(text: string, char: string): boolean {
  for (const each of text) if (each !== char) return false
  return true
}
