import { code } from './characters.ts'
import { type CodeRegions } from './code-regions.ts'
import type { Marker } from './marker.ts'
import type { Sink, Step } from './step.ts'
import type { Tape } from './tape.ts'

/** Why the scan stops at a code unit, as bits: a marker may begin, a code mark, the end of a line. */
const MARKER = 1
const CODE = 2
const LINE = 4

/** What a set of markers looks like to a scan; made once for each set. */
export class MarkerSet {
  readonly markers: readonly Marker[]
  readonly byFirst = new Map<number, Marker[]>()
  readonly stops = new Uint8Array(128)
  /** Whether a marker begins beyond ASCII. */
  readonly wide: boolean
  /** Whether a marker counts only at the start of a line or of the stream. */
  readonly placed: boolean
  /** How all markers begin, as far as that is certain whatever the case. */
  readonly prefix: string
  /** What finds the next stop in a long text, by the reasons to stop. */
  readonly #finders = new Map<number, RegExp>()

  constructor(markers: readonly Marker[]) {
    this.markers = markers
    for (const marker of markers) {
      for (const unit of marker.firstUnits) {
        this.byFirst.set(unit, [...(this.byFirst.get(unit) ?? []), marker])
        if (unit < 128) this.stops[unit] = MARKER
      }
    }
    this.wide = [...this.byFirst.keys()].some((unit) => unit >= 128)
    this.placed = markers.some(({ at }) => at !== 'anywhere')
    this.stops[code.backtick]! |= CODE
    this.stops[code.tilde]! |= CODE
    this.stops[code.newline]! |= LINE
    this.prefix = commonPrefix(markers.map((marker) => marker.fixedStart))
  }

  /** The index of the next unit that has one of the reasons to stop, found by the engine's own search. */
  findStop(text: string, from: number, mask: number): number {
    let finder = this.#finders.get(mask)
    if (finder === undefined) this.#finders.set(mask, (finder = this.#createFinder(mask)))
    finder.lastIndex = from
    return finder.test(text) ? finder.lastIndex - 1 : text.length
  }

  #createFinder(mask: number): RegExp {
    const ascii = [...this.stops.keys()].filter((unit) => (this.stops[unit]! & mask) !== 0)
    const units = [...ascii, ...[...this.byFirst.keys()].filter((unit) => unit >= 128)]
    const escapes = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    return new RegExp(units.length === 0 ? '(?!)' : `[${escapes.join('')}]`, 'g')
  }
}

function commonPrefix(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = first.length
  for (const text of texts) {
    let same = 0
    while (same < length && text[same] === first[same]) same++
    length = same
  }
  return first.slice(0, length)
}

/** Within so many units a loop finds the next stop faster than a search. */
const NEAR = 24

/** Nothing was found before the stream ended. */
const NONE: readonly Marker[] = []

/**
 * Passes text to a sink up to the next marker. What is held back is the longest end of the text that may
 * still become a marker, and nothing else.
 */
export class Scan implements Step {
  /** The markers found at `foundAt`, the longest first; empty at the end of the stream. */
  found: readonly Marker[] = NONE
  foundAt = 0
  readonly #set: MarkerSet
  readonly #sink: Sink | undefined
  readonly #regions: CodeRegions | undefined
  readonly #followsLines: boolean
  #position = 0
  /** White space since the line began, -1 if there was more than that; true at `#lineKnown`. */
  #indent = 0
  #lineKnown = 0
  /** Nothing but white space has come since the start. */
  #blank = true
  /** The code regions know the text before it. */
  #regionsKnown = 0
  #lengths: number[] = []
  /** The first character of what was found was text, which the code regions have not been told. */
  #rejected = false

  /** Without a sink, what is passed over is markup. */
  constructor(set: MarkerSet, sink: Sink | undefined, regions?: CodeRegions) {
    this.#set = set
    this.#sink = sink
    this.#regions = regions?.tracked === true ? regions : undefined
    this.#followsLines = set.placed || this.#regions !== undefined
  }

  /** Begins at a position; a line begins there too. */
  start(position: number): void {
    this.#position = position
    this.#indent = 0
    this.#blank = true
    this.#lineKnown = position
    this.#regionsKnown = position
  }

  /** Goes on after the first character of what was found: it is text. */
  reject(): void {
    this.#position = this.foundAt + 1
    this.#rejected = true
  }

  /** Goes on at a position after markup that is not part of the text; the line goes on too. */
  skip(position: number): void {
    this.#position = position
    this.#lineKnown = position
    this.#regionsKnown = position
    this.#indent = -1
  }

  advance(tape: Tape): boolean {
    const { text, base } = tape
    let index = this.#position - base
    if (this.#rejected) this.#followRejected(tape, index - 1)
    for (;;) {
      index = this.#nextStop(text, index)
      if (index === text.length) return this.#pause(tape, index, tape.ended)
      const unit = text.charCodeAt(index)
      const length = this.#match(tape, index, unit)
      if (length !== 0) return this.#pause(tape, index, length > 0)
      if (this.#regions !== undefined) this.#followCode(tape, index, unit)
      index++
    }
  }

  /** Hands over what is certain to be text. */
  #pause(tape: Tape, index: number, done: boolean): boolean {
    const position = tape.base + index
    if (this.#followsLines) this.#followLine(tape, index)
    this.#position = position
    if (position > tape.taken) this.#hand(tape, position)
    if (!done) return false
    this.foundAt = position
    if (index === tape.text.length) this.found = NONE
    return true
  }

  #hand(tape: Tape, position: number): void {
    if (this.#sink === undefined) tape.take(position, 'markup')
    else this.#sink.text(tape.take(position, 'content'))
  }

  /** The position after one of the markers that were found. */
  endOf(marker: Marker, tape: Tape): number {
    return this.foundAt + marker.lengthAt(tape.text, this.foundAt - tape.base, tape.ended)
  }

  #nextStop(text: string, from: number): number {
    const { stops, wide } = this.#set
    const regions = this.#regions
    const mask = regions === undefined ? MARKER : MARKER | CODE | (regions.lineMatters ? LINE : 0)
    const end = text.length
    const near = Math.min(end, from + NEAR)
    let index = from
    for (; index < near; index++) {
      const unit = text.charCodeAt(index)
      if (unit < 128 ? (stops[unit]! & mask) !== 0 : wide && this.#set.byFirst.has(unit)) break
    }
    if (index < near || near === end) return index
    return mask === MARKER && this.#set.prefix !== ''
      ? this.#findPrefix(text, index)
      : this.#set.findStop(text, index, mask)
  }

  /** Markers that begin alike are found by how they begin, which the end of the text may have cut. */
  #findPrefix(text: string, from: number): number {
    const { prefix } = this.#set
    const found = text.indexOf(prefix, from)
    if (found !== -1) return found
    let cut = Math.max(from, text.length - prefix.length + 1)
    while (cut < text.length && !prefix.startsWith(text.slice(cut))) cut++
    return cut
  }

  /** The length of the longest marker here; 0 if there is none, -1 if more text must tell. */
  #match(tape: Tape, index: number, unit: number): number {
    const markers = this.#set.byFirst.get(unit)
    if (markers === undefined) return 0
    let longest = 0
    this.#lengths.length = 0
    for (const marker of markers) {
      const length = marker.lengthAt(tape.text, index, tape.ended)
      const live = length !== 0 && this.#isLive(marker, tape, index)
      this.#lengths.push(live ? length : 0)
      if (!live) continue
      if (length < 0) return -1
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

  #isLive(marker: Marker, tape: Tape, index: number): boolean {
    if (marker.at !== 'anywhere' && this.#indentAt(tape, index) < 0) return false
    if (marker.at === 'stream' && !this.#blankBefore(tape, index)) return false
    if (marker.control || this.#regions === undefined) return true
    this.#tellRegions(tape, index)
    return !this.#regions.opaque
  }

  /** White space before an index on its line, -1 if there is more than that. */
  #indentAt(tape: Tape, index: number): number {
    const { text, base } = tape
    const known = this.#lineKnown - base
    let start = index
    while (start > known && isBlank(text.charCodeAt(start - 1))) start--
    if (start > known) return text.charCodeAt(start - 1) === code.newline ? index - start : -1
    return this.#indent < 0 ? -1 : this.#indent + index - start
  }

  #blankBefore(tape: Tape, index: number): boolean {
    this.#blank &&= tape.text.slice(this.#lineKnown - tape.base, index).trim() === ''
    return this.#blank
  }

  #followLine(tape: Tape, index: number): void {
    if (this.#set.placed) this.#blankBefore(tape, index)
    this.#indent = this.#indentAt(tape, index)
    this.#lineKnown = tape.base + index
    if (this.#regions?.lineMatters === true) this.#tellRegions(tape, index)
    else this.#regionsKnown = this.#lineKnown
  }

  #tellRegions(tape: Tape, index: number): void {
    this.#regions?.other(tape.text, this.#regionsKnown - tape.base, index)
    this.#regionsKnown = tape.base + index
  }

  #followRejected(tape: Tape, index: number): void {
    this.#rejected = false
    this.#followCode(tape, index, tape.text.charCodeAt(index))
  }

  #followCode(tape: Tape, index: number, unit: number): void {
    const regions = this.#regions
    if (regions === undefined) return
    if (unit === code.newline) {
      this.#tellRegions(tape, index)
      regions.newline()
    } else if (unit === code.backtick || unit === code.tilde) {
      const adjacent = this.#regionsKnown === tape.base + index
      const indent = this.#indentAt(tape, index)
      this.#tellRegions(tape, index)
      regions.mark(unit, indent, adjacent)
    } else return
    this.#regionsKnown = tape.base + index + 1
  }
}

function isBlank(unit: number): boolean {
  return unit === code.space || unit === code.tab
}
