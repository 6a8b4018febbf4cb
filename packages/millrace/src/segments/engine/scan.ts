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
  }
}

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
    let index = from
    for (; index < end; index++) {
      const unit = text.charCodeAt(index)
      if (unit < 128 ? (stops[unit]! & mask) !== 0 : wide && this.#set.byFirst.has(unit)) break
    }
    return index
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
    return this.#blank && tape.text.slice(this.#lineKnown - tape.base, index).trim() === ''
  }

  #followLine(tape: Tape, index: number): void {
    if (this.#blank && this.#set.placed) this.#blank = this.#blankBefore(tape, index)
    this.#indent = this.#indentAt(tape, index)
    this.#lineKnown = tape.base + index
    if (this.#regions?.lineMatters === true) this.#tellRegions(tape, index)
    else this.#regionsKnown = this.#lineKnown
  }

  #tellRegions(tape: Tape, index: number): void {
    this.#regions?.other(tape.text, this.#regionsKnown - tape.base, index)
    this.#regionsKnown = tape.base + index
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
