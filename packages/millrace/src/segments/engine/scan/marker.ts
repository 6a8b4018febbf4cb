import { code, foldText, foldUnit, isNameStart, isSpace } from '../../characters.ts'

/** A marker in a format: a literal, an end tag, or the beginning of a tag. */
export type Mark = string | FoldedText | EndTag | StartTag

interface FoldedText {
  readonly anyCaseOf: string
}

/** `</name>`, with optional space before the `>` and optionally in any case. */
interface EndTag {
  readonly endTag: string
  readonly anyCase?: boolean
}

/** `<name`, if the name ends there. */
interface StartTag {
  readonly startTag: string
  readonly anyCase?: boolean
}

/** The text that must follow the stem of a marker. */
type Tail = 'nothing' | 'boundary' | 'name' | 'end' | 'json'

/** Options of a marker. */
export interface MarkerOptions {
  readonly tail?: Tail
  readonly anyCase?: boolean
  /** Counts inside code as well: a special token, which prose does not contain. */
  readonly control?: boolean
  /** The only place where it counts. */
  readonly at?: Place
  /** With a boundary: the end of the tag; default: `>`. */
  readonly tagEnd?: string
}

/** The place where a marker counts: anywhere, at the start of a line, or at the start of the stream. Text after a block is a new start. */
export type Place = 'anywhere' | 'line' | 'stream'

/** Maximum white space inside an end tag, `</arg   >`. */
const MAX_TAG_SPACE = 256

/** A literal that a scan searches for, alone or with required text after it. */
export class Marker {
  readonly stem: string
  readonly control: boolean
  readonly at: Place
  readonly #anyCase: boolean
  readonly #tail: Tail
  readonly #tagEnd: number

  constructor(stem: string, options: MarkerOptions = {}) {
    this.#anyCase = options.anyCase ?? false
    this.stem = this.#anyCase ? foldText(stem) : stem
    this.#tail = options.tail ?? 'nothing'
    this.control = options.control ?? false
    this.at = options.at ?? 'anywhere'
    this.#tagEnd = (options.tagEnd ?? '>').charCodeAt(0)
  }

  /** Creates the marker of a format's mark; it counts in code too, where only openers do not. */
  static of(mark: Mark): Marker {
    if (typeof mark === 'string') return new Marker(mark, { control: true })
    if ('anyCaseOf' in mark) return new Marker(mark.anyCaseOf, { anyCase: true, control: true })
    const { anyCase = false } = mark
    return 'endTag' in mark
      ? new Marker(`</${mark.endTag}`, { tail: 'end', anyCase, control: true })
      : new Marker(`<${mark.startTag}`, { tail: 'boundary', anyCase, control: true })
  }

  /** The code units with which the marker may begin. */
  get firstUnits(): number[] {
    return bothCases(this.stem.charAt(0), this.#anyCase)
  }

  /** The possible second units; undefined if any unit is possible. */
  get secondUnits(): number[] | undefined {
    if (this.stem.length > 1) return bothCases(this.stem.charAt(1), this.#anyCase)
    return this.#tail === 'json'
      ? ` \n\r\t${jsonFollowers[this.stem] ?? ''}`.split('').map(toUnit)
      : undefined
  }

  /** The start of the marker that is the same in every case. */
  get fixedStart(): string {
    return this.#anyCase ? (/^[^a-z]*/.exec(this.stem)?.[0] ?? '') : this.stem
  }

  /** Returns the length of the marker at an index: 0 if it is not there, -1 if more text is needed. */
  lengthAt(text: string, index: number, ended: boolean): number {
    const { stem } = this
    const available = text.length - index
    const compared = Math.min(stem.length, available)
    for (let offset = 0; offset < compared; offset++) {
      const unit = text.charCodeAt(index + offset)
      if ((this.#anyCase ? foldUnit(unit) : unit) !== stem.charCodeAt(offset)) return 0
    }
    if (compared < stem.length) return ended ? 0 : -1
    if (this.#tail === 'nothing') return stem.length
    if (this.#tail === 'end') return this.#endAt(text, index, ended)
    return this.#tail === 'json'
      ? this.#jsonAt(text, index + stem.length, ended)
      : this.#followedAt(text, index + stem.length, ended)
  }

  #followedAt(text: string, index: number, ended: boolean): number {
    if (index === text.length) return ended ? 0 : -1
    const unit = text.charCodeAt(index)
    if (this.#tail === 'name') return isNameStart(unit) ? this.stem.length : 0
    return isSpace(unit) || unit === code.slash || unit === this.#tagEnd ? this.stem.length : 0
  }

  #endAt(text: string, start: number, ended: boolean): number {
    let index = start + this.stem.length
    const limit = index + MAX_TAG_SPACE
    while (index < limit && isSpace(text.charCodeAt(index))) index++
    if (index === text.length) return ended ? 0 : -1
    return text.charCodeAt(index) === code.greater ? index + 1 - start : 0
  }

  /** Checks whether JSON with calls may begin here; a long white space is left to later checks. */
  #jsonAt(text: string, from: number, ended: boolean): number {
    const limit = from + MAX_JSON_SPACE
    let index = from
    while (index < limit && isSpace(text.charCodeAt(index))) index++
    if (index === limit) return this.stem.length
    if (index === text.length) return ended ? 0 : -1
    return (jsonFollowers[this.stem] ?? '').includes(text.charAt(index)) ? this.stem.length : 0
  }
}

/** Creates the markers of marks. */
export function toMarkers(marks: readonly Mark[] = []): Marker[] {
  return marks.map((mark) => Marker.of(mark))
}

/** The units that may follow a bracket in JSON with calls: a key, a call, or another list. */
const jsonFollowers: Readonly<Record<string, string>> = { '{': '"', '[': '{[' }
const MAX_JSON_SPACE = 16

function bothCases(char: string, anyCase: boolean): number[] {
  const units = [toUnit(char)]
  const isLetter = anyCase && /[a-z]/.test(char)
  return isLetter ? [...units, toUnit(char.toUpperCase())] : units
}

function toUnit(char: string): number {
  return char.charCodeAt(0)
}

/** Reasons to stop at a code unit, as bits: a possible marker, a code mark, the end of a line. */
export const stop = { marker: 1, code: 2, line: 4 } as const

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
