import type { JsonObject } from '../../json/index.ts'
import type { CallStart, CallWriter } from '../calls/call-writer.ts'
import { projectionOf, type Projection, type Projections } from '../calls/projection.ts'
import type { SegmentLimits } from '../limits.ts'
import type { ParameterTypes, ToolParameters } from '../parameter-types.ts'
import type { SegmentType } from '../segment-event.ts'
import { isSpace } from '../characters.ts'
import type { Marker, MarkerSet } from './scan/marker.ts'
import { type CodeWatch, Scan } from './scan/scan.ts'
import type { SegmentOutput, SegmentWriter } from './segment-output.ts'
import { more, type Sink, type Step, type InputBuffer } from './scan/input-buffer.ts'

/** The content of an opener. */
export interface Opening {
  /** The tag, or the text after the `=` of `<function=name>`. */
  readonly name: string
  /** Attributes by name; in lower case if the tag ignores case. */
  readonly attributes: ReadonlyMap<string, string>
  /** The block ends with its opener. */
  readonly selfClosing?: boolean
  /** The type in a JSON header. */
  readonly segment?: SegmentType
  /** The other fields of a JSON header, or the id next to a name. */
  readonly metadata?: JsonObject
}

/** An opener without a name and attributes. */
export const plainOpening: Opening = { name: '', attributes: new Map() }

interface ReaderOptions {
  readonly input: InputBuffer
  readonly output: SegmentOutput
  readonly limits: SegmentLimits
  readonly projections: Projections
  readonly tools: ToolParameters
  readonly knownTools: ReadonlySet<string> | undefined
  /** Called with an error that the code of a format threw. */
  readonly onError: ((error: unknown) => void) | undefined
  /** Watches code that hides an opener. */
  readonly codeWatch: CodeWatch | undefined
  /** Whether JSON calls in the notation of the streaming parser design may be shown as files and commands. */
  readonly projectsJson: boolean
}

/**
 * Input and output of a format reader. It looks ahead from `position`; nothing is final until `accept`, so a
 * reader that returns without accepting has changed nothing.
 */
export class Reader {
  readonly input: InputBuffer
  readonly output: SegmentOutput
  readonly limits: SegmentLimits
  readonly onError: ((error: unknown) => void) | undefined
  readonly codeWatch: CodeWatch | undefined
  readonly projectsJson: boolean
  /** The position of the look-ahead. */
  position = 0
  /** The end of the last match. */
  matchEnd = 0
  /** The number of nested blocks being read. */
  depth = 0
  /** Ranges known to contain no markers. */
  readonly markerFreeRanges: MarkerFreeRanges = new WeakMap()
  readonly #projections: Projections
  readonly #tools: ToolParameters
  readonly #knownTools: ReadonlySet<string> | undefined

  constructor(options: ReaderOptions) {
    this.input = options.input
    this.output = options.output
    this.limits = options.limits
    this.#knownTools = options.knownTools
    this.onError = options.onError
    this.codeWatch = options.codeWatch
    this.projectsJson = options.projectsJson
    this.#projections = options.projections
    this.#tools = options.tools
  }

  /** Accepts the text before the position as markup: from here on the reader cannot go back. */
  accept(): void {
    this.output.endInterrupted()
    this.input.drop(this.position)
  }

  /** Returns the code unit at the position; -1 at the end of the stream. */
  *peek(): Reading<number> {
    while (this.position >= this.input.end) {
      if (this.input.ended) return -1
      yield more
    }
    return this.input.codeAt(this.position)
  }

  /** Moves over white space and returns the unit after it; -1 at the end of the stream or past the limit. */
  *skipSpace(limit = this.limits.maxSpace): Reading<number> {
    const { input } = this
    const last = this.position + limit
    for (;;) {
      const end = Math.min(last, input.end)
      while (this.position < end && isSpace(input.codeAt(this.position))) this.position++
      if (this.position < input.end) {
        const unit = input.codeAt(this.position)
        return isSpace(unit) ? -1 : unit
      }
      if (input.ended) return -1
      yield more
    }
  }

  /** Returns the longest of the markers at the position; `matchEnd` is its end. */
  *match(markers: readonly Marker[], position = this.position): Reading<Marker | undefined> {
    for (;;) {
      const { input } = this
      let longest: Marker | undefined
      let undecided = false
      this.matchEnd = position
      for (const marker of markers) {
        const length = marker.lengthAt(input.text, position - input.base, input.ended)
        if (length < 0) undecided = true
        if (position + length <= this.matchEnd) continue
        longest = marker
        this.matchEnd = position + length
      }
      if (!undecided) return longest
      yield more
    }
  }

  /**
   * Classifies the text after a position and white space: one of the markers, the end of the stream, or other text. A
   * closing marker inside data is real only if the right text follows it.
   */
  *lookAfter(markers: readonly Marker[], from: number): Reading<'marker' | 'end' | 'other'> {
    const { position } = this
    this.position = from
    const unit = yield* this.skipSpace()
    const found = unit !== -1 ? yield* this.match(markers) : undefined
    const isOver = this.input.ended && this.position >= this.input.end
    this.position = position
    return found !== undefined ? 'marker' : isOver ? 'end' : 'other'
  }

  /** Checks whether the stream ended at the position, or inside a possible marker. */
  isCutAt(markers: readonly Marker[]): boolean {
    const { input, position } = this
    if (!input.ended) return false
    const index = position - input.base
    return (
      position >= input.end ||
      markers.some((marker) => marker.lengthAt(input.text, index, false) < 0)
    )
  }

  /**
   * Passes text to a sink, or drops it as markup without a sink, up to the first marker of a set, and moves there;
   * `matchEnd` is the end of the marker. Returns undefined if the stream ended first.
   */
  *passUntil(set: MarkerSet, sink?: Sink): Reading<Marker | undefined> {
    const scan = new Scan(set, sink)
    scan.start(this.position)
    yield scan
    const marker = scan.found[0]
    this.position = scan.foundAt
    this.matchEnd = marker === undefined ? this.position : scan.endOf(marker, this.input)
    return marker
  }

  get textSink(): Sink {
    return this.output.textSink
  }

  /** Starts a segment; a lazy one starts with its first content, if any. Content after its end is text. */
  segment(type: SegmentType, metadata: JsonObject, lazy = false): SegmentWriter {
    return this.output.segment(type, metadata, { lazy })
  }

  /** Starts a call, as a segment of its tool's type. */
  call(call: CallStart): CallWriter {
    return this.output.call(call, this.parametersOf(call.name))
  }

  /** Checks whether a call that is recognized only by its shape is accepted. */
  isKnown(name: string): boolean {
    return this.#knownTools === undefined || this.#knownTools.has(name)
  }

  /** Returns the projection of a tool, or undefined for a `tool_call`. */
  projectionOf(name: string): Projection | undefined {
    return projectionOf(name, this.#projections)
  }

  /** Returns the types of a tool's parameters, if they are known. */
  parametersOf(name: string): ParameterTypes | undefined {
    return Object.hasOwn(this.#tools, name) ? this.#tools[name] : undefined
  }

  /** Checks whether a tool is known to have an argument. */
  hasArgument(tool: string, key: string): boolean {
    const { content, path, types = {} } = this.projectionOf(tool) ?? {}
    return (
      key === content ||
      key === path ||
      Object.hasOwn({ ...types, ...this.parametersOf(tool) }, key)
    )
  }
}

/** A coroutine that reads a part of a format. */
export type Reading<Result> = Generator<Step, Result, void>

/** A range in which no marker of a set begins: block candidates look ahead, mostly over the same text. */
interface MarkerFreeRange {
  readonly from: number
  readonly to: number
}

type MarkerFreeRanges = WeakMap<MarkerSet, MarkerFreeRange>

/** Moves to the first marker of a set that begins before a limit; returns undefined if there is none. */
export function* findMarker(
  reader: Reader,
  set: MarkerSet,
  limit: number,
): Reading<Marker | undefined> {
  const { position: start, markerFreeRanges, input } = reader
  const known = markerFreeRanges.get(set)
  const isInside = known !== undefined && start >= known.from && start <= known.to
  if (isInside) reader.position = Math.min(known.to, limit)
  let found: Marker | undefined
  while (found === undefined && reader.position < limit) {
    passOthers(reader, set, limit)
    if (reader.position < limit && reader.position >= input.end) {
      if (input.ended) break
      yield more
    } else if (reader.position < limit) {
      found = yield* reader.match(set.markers)
      if (found === undefined) reader.position++
    }
  }
  const to = isInside ? Math.max(known.to, reader.position) : reader.position
  markerFreeRanges.set(set, { from: isInside ? known.from : start, to })
  return found
}

function passOthers(reader: Reader, { firsts }: MarkerSet, limit: number): void {
  const { input } = reader
  const end = Math.min(limit, input.end)
  let { position } = reader
  while (position < end && !firsts.has(input.codeAt(position))) position++
  reader.position = position
}
