import { code } from '../../characters.ts'
import type { CodeKind, CodeRegions } from './code-regions.ts'
import { type Marker, type MarkerSet, stop } from './marker.ts'
import type { Sink, Step, InputBuffer } from './input-buffer.ts'

const CODE_STOP = stop.marker | stop.code
const EVERY_STOP = stop.marker | stop.code | stop.line

/** Up to this distance, a loop finds the next stop faster than a search. */
const LOOP_DISTANCE = 24

/** Watches the text of code that hides an opener. */
export interface CodeWatch {
  /** The start of the text that it has not received; undefined while it watches no code. */
  readonly from: number | undefined
  /** Begins at a position at which an opener, or the beginning of one, is hidden. */
  begin(position: number): void
  /** Receives more of the text. */
  take(text: string): void
  /** Ends the code; `isOpen` if the stream ended inside it. */
  end(kind: CodeKind, isOpen: boolean): void
  /** Continues after markup. */
  skip(position: number): void
}

interface ScanOptions {
  readonly regions?: CodeRegions
  readonly watch?: CodeWatch | undefined
}

const NONE: readonly Marker[] = []

/** Passes text to a sink up to the next marker. Holds only the longest end of the text that may still become a marker. */
export class Scan implements Step {
  /** The markers found at `foundAt`, the longest first; empty at the end of the stream. */
  found: readonly Marker[] = NONE
  foundAt = 0
  readonly #all: MarkerSet
  /** The markers that count now. */
  #set: MarkerSet
  readonly #sink: Sink | undefined
  readonly #regions: CodeRegions | undefined
  readonly #watch: CodeWatch | undefined
  readonly #followsLines: boolean
  #position = 0
  /** White space since the line began, -1 if the line has other text; valid at `#lineKnown`. */
  #indent = 0
  #lineKnown = 0
  /** Only white space since the start. */
  #blank = true
  /** The position up to which the code regions have read. */
  #regionsKnown = 0
  #lengths: number[] = []
  /** The end of the last code mark. */
  #markEnd = 0
  /** Only the rest of the line decides whether the marker at the position is in inline code. */
  #isUndecided = false
  /** The first character of the found marker is text that the code regions have not read. */
  #rejected = false

  /** Without a sink, the scanned text is markup. */
  constructor(set: MarkerSet, sink: Sink | undefined, { regions, watch }: ScanOptions = {}) {
    this.#all = set
    this.#set = set
    this.#sink = sink
    this.#regions = regions?.tracked === true ? regions : undefined
    this.#watch = watch
    this.#followsLines = set.placed || this.#regions !== undefined
  }

  /** Starts at a position, which is also the start of a line. */
  start(position: number): void {
    this.#position = position
    this.#indent = 0
    this.#blank = true
    this.#set = this.#all
    this.#lineKnown = position
    this.#regionsKnown = position
    this.#watch?.skip(position)
  }

  /** Continues after the first character of the found marker: it is text. */
  reject(): void {
    this.#position = this.foundAt + 1
    this.#rejected = true
  }

  /** Continues at a position after markup that is not part of the text; the line continues too. */
  skip(position: number): void {
    this.#position = position
    this.#lineKnown = position
    this.#regionsKnown = position
    this.#indent = -1
    this.#watch?.skip(position)
  }

  advance(input: InputBuffer): boolean {
    // Reading `text` would join all held chunks.
    if (this.#isUndecided && this.#regions?.isInline(input, this.#position) === undefined)
      return false
    this.#isUndecided = false
    const { text, base } = input
    let index = this.#position - base
    if (this.#rejected) this.#followRejected(input, index - 1)
    for (;;) {
      index = this.#nextStop(text, index)
      if (index === text.length) return this.#pause(input, index, input.ended)
      const unit = text.charCodeAt(index)
      const length = this.#match(input, index, unit)
      if (length !== 0) return this.#pause(input, index, length > 0)
      if (this.#regions !== undefined) this.#followCode(input, index, unit)
      index++
    }
  }

  /** Passes on the text that is certain not to be a marker. */
  #pause(input: InputBuffer, index: number, done: boolean): boolean {
    const position = input.base + index
    if (this.#followsLines) this.#followLine(input, index)
    this.#position = position
    if (this.#watch?.from !== undefined) this.#followWatch(input, position)
    if (position > input.consumed) this.#passOn(input, position)
    if (!done) return false
    this.foundAt = position
    if (index === input.text.length) this.found = NONE
    return true
  }

  /** Passes the watch the text up to a position, or up to the end of the watched code. */
  #followWatch(input: InputBuffer, position: number): void {
    const watch = this.#watch
    const from = watch?.from
    if (watch === undefined || from === undefined) return
    const isOver = input.ended && position >= input.end
    if (isOver) this.#regions?.newline()
    const ended = this.#regions?.ended
    const end = ended?.by === 'run' ? this.#markEnd : position
    if (end > from) watch.take(input.slice(from, end))
    if (ended !== undefined) watch.end(ended.kind, false)
    else if (isOver) watch.end('fence', true)
  }

  /** Informs the watch if the watched code has ended. */
  #settleWatch(input: InputBuffer, position: number): void {
    if (this.#watch?.from !== undefined && this.#regions?.ended !== undefined)
      this.#followWatch(input, position)
  }

  #beginWatch(position: number): void {
    const regions = this.#regions
    if (this.#watch === undefined || this.#watch.from !== undefined || regions === undefined) return
    regions.ended = undefined
    this.#watch.begin(position)
  }

  #passOn(input: InputBuffer, position: number): void {
    if (this.#sink === undefined) input.drop(position)
    else input.pass(position, this.#sink)
  }

  /** Returns the position after one of the found markers. */
  endOf(marker: Marker, input: InputBuffer): number {
    return this.foundAt + marker.lengthAt(input.text, this.foundAt - input.base, input.ended)
  }

  #nextStop(text: string, from: number): number {
    const { stops, wide } = this.#set
    const regions = this.#regions
    const mask = regions === undefined ? stop.marker : regions.lineMatters ? EVERY_STOP : CODE_STOP
    const end = text.length
    const near = Math.min(end, from + LOOP_DISTANCE)
    let index = from
    for (; index < near; index++) {
      const unit = text.charCodeAt(index)
      if (unit < 128 ? (stops[unit]! & mask) !== 0 : wide && this.#set.firsts.has(unit)) break
    }
    if (index < near || near === end) return index
    return mask === stop.marker && this.#set.prefix !== ''
      ? this.#findPrefix(text, index)
      : this.#set.findStop(text, index, mask)
  }

  /** Finds markers with a common prefix by that prefix, which the end of the text may have cut. */
  #findPrefix(text: string, from: number): number {
    const { prefix } = this.#set
    const found = text.indexOf(prefix, from)
    if (found !== -1) return found
    let cut = Math.max(from, text.length - prefix.length + 1)
    while (cut < text.length && !prefix.startsWith(text.slice(cut))) cut++
    return cut
  }

  /** Returns the length of the longest marker here; 0 if there is none, -1 if more text is needed. */
  #match(input: InputBuffer, index: number, unit: number): number {
    const first = this.#set.firsts.get(unit)
    if (first === undefined) return 0
    const isLast = index + 1 === input.text.length
    const markers = isLast
      ? first.markers
      : (first.seconds.get(input.text.charCodeAt(index + 1)) ?? first.others)
    if (markers.length === 0) return 0
    let longest = 0
    this.#lengths.length = 0
    for (const marker of markers) {
      const length = marker.lengthAt(input.text, index, input.ended)
      const isPlaced = length !== 0 && this.#isPlaced(marker, input, index)
      const isLive = isPlaced && this.#isLive(marker, input, index, length)
      this.#lengths.push(isLive === true ? length : 0)
      if (isLive === false) continue
      if (isLive === undefined || length < 0) return -1
      longest = Math.max(longest, length)
    }
    if (longest > 0) this.found = this.#ranked(markers)
    return longest
  }

  #ranked(markers: readonly Marker[]): Marker[] {
    return markers
      .map((marker, at) => ({ marker, length: this.#lengths[at] ?? 0 }))
      .filter(({ length }) => length > 0)
      .toSorted((a, b) => b.length - a.length)
      .map(({ marker }) => marker)
  }

  #isPlaced({ at }: Marker, input: InputBuffer, index: number): boolean {
    if (at === 'anywhere') return true
    this.#readLine(input, index)
    return this.#indent >= 0 && (at === 'line' || this.#blank)
  }

  /** Checks whether a marker, or the start of one, counts here and not in code; undefined if more text is needed. */
  #isLive(marker: Marker, input: InputBuffer, index: number, length: number): boolean | undefined {
    const regions = this.#regions
    if (marker.control || regions === undefined) return true
    this.#updateRegions(input, index)
    const position = input.base + index
    const { isFenced } = regions
    this.#settleWatch(input, position)
    if (isFenced) {
      this.#beginWatch(position)
      return false
    }
    // Only a complete marker justifies a look-ahead on its line.
    if (length < 0) return true
    const isInline = regions.isInline(input, position)
    this.#isUndecided = isInline === undefined
    if (isInline === true) this.#beginWatch(position)
    return isInline === undefined ? undefined : !isInline
  }

  /** Returns the white space before an index on its line, -1 if the line has other text. */
  #indentAt(input: InputBuffer, index: number): number {
    const { text, base } = input
    const known = this.#lineKnown - base
    let start = index
    while (start > known && isBlank(text.charCodeAt(start - 1))) start--
    if (start > known) return text.charCodeAt(start - 1) === code.newline ? index - start : -1
    return this.#indent < 0 ? -1 : this.#indent + index - start
  }

  /** Reads the line up to an index, once: each space of a long row may begin a marker. */
  #readLine(input: InputBuffer, index: number): void {
    if (this.#blank && this.#set.placed) this.#updateBlank(input, index)
    this.#indent = this.#indentAt(input, index)
    this.#lineKnown = input.base + index
  }

  #updateBlank(input: InputBuffer, index: number): void {
    this.#blank = input.text.slice(this.#lineKnown - input.base, index).trim() === ''
    if (!this.#blank) this.#set = this.#all.later
  }

  #followLine(input: InputBuffer, index: number): void {
    const position = input.base + index
    const matters = this.#regions !== undefined && this.#regions.lineMatters
    // Most text ends inside a line, and nothing else about the line matters.
    const isInside = position > this.#lineKnown && input.text.charCodeAt(index - 1) > code.space
    if (this.#blank && this.#set.placed) this.#updateBlank(input, index)
    this.#indent = isInside ? -1 : this.#indentAt(input, index)
    this.#lineKnown = position
    if (matters) this.#updateRegions(input, index)
    else this.#regionsKnown = position
  }

  #updateRegions(input: InputBuffer, index: number): void {
    const position = input.base + index
    this.#regions?.other(input.text, this.#regionsKnown - input.base, index)
    this.#regionsKnown = position
    this.#settleWatch(input, position)
  }

  #followRejected(input: InputBuffer, index: number): void {
    this.#rejected = false
    this.#followCode(input, index, input.text.charCodeAt(index))
  }

  #followCode(input: InputBuffer, index: number, unit: number): void {
    const regions = this.#regions
    if (regions === undefined) return
    if (unit === code.newline) {
      this.#updateRegions(input, index)
      regions.newline()
      this.#settleWatch(input, input.base + index)
    } else if (unit === code.backtick || unit === code.tilde) {
      const adjacent = this.#regionsKnown === input.base + index
      const indent = this.#indentAt(input, index)
      this.#updateRegions(input, index)
      regions.mark(unit, indent, adjacent)
      this.#markEnd = input.base + index + 1
    } else return
    this.#regionsKnown = input.base + index + 1
  }
}

function isBlank(unit: number): boolean {
  return unit === code.space || unit === code.tab
}
