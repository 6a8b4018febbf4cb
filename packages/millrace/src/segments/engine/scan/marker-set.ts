import { code } from '../../characters.ts'
import type { Marker } from './marker.ts'

/** Reasons to stop at a code unit, as bits: a possible marker, a code mark, the end of a line. */
export const stop = { marker: 1, code: 2, line: 4 } as const

/** The markers that begin with one unit. */
interface FirstUnit {
  readonly markers: readonly Marker[]
  /** Markers by their second unit. */
  readonly seconds: ReadonlyMap<number, readonly Marker[]>
  /** Markers that accept any other second unit. */
  readonly others: readonly Marker[]
}

/** A set of markers, indexed for scans; created once for each set. */
export class MarkerSet {
  readonly markers: readonly Marker[]
  /** Markers by their first unit. */
  readonly firsts: ReadonlyMap<number, FirstUnit>
  readonly stops = new Uint8Array(128)
  /** Whether a marker begins beyond ASCII. */
  readonly wide: boolean
  /** Whether a marker counts only at the start of a line or of the stream. */
  readonly placed: boolean
  /** The common prefix of all markers, as far as it is independent of case. */
  readonly prefix: string
  #later: MarkerSet | undefined
  /** Patterns that find the next stop in a long text, by the reasons to stop. */
  readonly #finders = new Map<number, RegExp>()

  constructor(markers: readonly Marker[]) {
    this.markers = markers
    this.firsts = groupByFirst(markers)
    for (const unit of this.firsts.keys()) if (unit < 128) this.stops[unit] = stop.marker
    this.wide = [...this.firsts.keys()].some((unit) => unit >= 128)
    this.placed = markers.some(({ at }) => at !== 'anywhere')
    this.stops[code.backtick]! |= stop.code
    this.stops[code.tilde]! |= stop.code
    this.stops[code.newline]! |= stop.line
    this.prefix = commonPrefix(markers.map((marker) => marker.fixedStart))
  }

  /** The markers that still count after the start of the stream. */
  get later(): MarkerSet {
    const rest = this.markers.filter(({ at }) => at !== 'stream')
    return (this.#later ??= rest.length === this.markers.length ? this : new MarkerSet(rest))
  }

  /** Returns the index of the next unit with one of the reasons to stop, by the engine's own search. */
  findStop(text: string, from: number, mask: number): number {
    let finder = this.#finders.get(mask)
    if (finder === undefined) this.#finders.set(mask, (finder = this.#createFinder(mask)))
    finder.lastIndex = from
    return finder.test(text) ? finder.lastIndex - 1 : text.length
  }

  #createFinder(mask: number): RegExp {
    const ascii = [...this.stops.keys()].filter((unit) => (this.stops[unit]! & mask) !== 0)
    const units = [...ascii, ...[...this.firsts.keys()].filter((unit) => unit >= 128)]
    const escapes = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    return new RegExp(units.length === 0 ? '(?!)' : `[${escapes.join('')}]`, 'g')
  }
}

function groupByFirst(markers: readonly Marker[]): Map<number, FirstUnit> {
  const units = new Set(markers.flatMap(({ firstUnits }) => firstUnits))
  return new Map(
    [...units].map((unit) => {
      const own = markers.filter(({ firstUnits }) => firstUnits.includes(unit))
      return [unit, toFirstUnit(own)]
    }),
  )
}

function toFirstUnit(markers: readonly Marker[]): FirstUnit {
  const units = new Set(markers.flatMap(({ secondUnits }) => secondUnits ?? []))
  const goingOnWith = (unit: number): Marker[] =>
    markers.filter(({ secondUnits }) => secondUnits?.includes(unit) ?? true)
  return {
    markers,
    seconds: new Map([...units].map((unit) => [unit, goingOnWith(unit)])),
    others: markers.filter(({ secondUnits }) => secondUnits === undefined),
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
