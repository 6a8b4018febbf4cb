import type { JsonObject } from '../../json/index.ts'
import type { CallStart, CallWriter } from '../calls/call-writer.ts'
import { projectionOf, type Projection, type Projections } from '../calls/projection.ts'
import type { SegmentLimits } from '../limits.ts'
import type { ParameterTypes, ToolParameters } from '../parameter-types.ts'
import type { SegmentType } from '../segment-event.ts'
import { isSpace } from '../characters.ts'
import type { Stretches } from './find-marker.ts'
import type { Marker } from './marker.ts'
import type { MarkerSet } from './marker-set.ts'
import { type CodeWatch, Scan } from './scan.ts'
import type { SegmentOutput, SegmentWriter } from './segment-output.ts'
import { more, type Reading, type Sink } from './step.ts'
import type { Tape } from './tape.ts'

/** What the readers of formats know of the parser they work for. */
export interface ReaderOptions {
  readonly tape: Tape
  readonly output: SegmentOutput
  readonly limits: SegmentLimits
  readonly projections: Projections
  readonly tools: ToolParameters
  readonly knownTools: ReadonlySet<string> | undefined
  /** Told what the code of a format threw. */
  readonly onError: ((error: unknown) => void) | undefined
  /** Follows code that hides an opener. */
  readonly codeWatch: CodeWatch | undefined
  /** Whether JSON calls in the notation of the streaming parser design may be shown as files and commands. */
  readonly projectsJson: boolean
}

/**
 * What the reader of a format reads with and writes to. It looks ahead from `position`; nothing is final until
 * `accept`, so a reader that returns without accepting has changed nothing.
 */
export class Reader {
  readonly tape: Tape
  readonly output: SegmentOutput
  readonly limits: SegmentLimits
  readonly onError: ((error: unknown) => void) | undefined
  readonly codeWatch: CodeWatch | undefined
  readonly projectsJson: boolean
  /** How far the reader has looked. */
  position = 0
  /** Where the last match ended. */
  matchEnd = 0
  /** How many blocks are being read, each in another. */
  depth = 0
  /** Where markers that were looked for are not. */
  readonly stretches: Stretches = new WeakMap()
  readonly #projections: Projections
  readonly #tools: ToolParameters
  readonly #knownTools: ReadonlySet<string> | undefined

  constructor(options: ReaderOptions) {
    this.tape = options.tape
    this.output = options.output
    this.limits = options.limits
    this.#knownTools = options.knownTools
    this.onError = options.onError
    this.codeWatch = options.codeWatch
    this.projectsJson = options.projectsJson
    this.#projections = options.projections
    this.#tools = options.tools
  }

  /** Takes what has been looked at as markup: from here on there is no way back. */
  accept(): void {
    this.output.endInterrupted()
    this.tape.drop(this.position)
  }

  /** The code unit at the position; -1 once the stream is over. */
  *peek(): Reading<number> {
    while (this.position >= this.tape.end) {
      if (this.tape.ended) return -1
      yield more
    }
    return this.tape.codeAt(this.position)
  }

  /** Moves over white space and returns the unit after it, -1 at the end of the stream or past the limit. */
  *skipSpace(limit = this.limits.maxSpace): Reading<number> {
    const { tape } = this
    const last = this.position + limit
    for (;;) {
      const end = Math.min(last, tape.end)
      while (this.position < end && isSpace(tape.codeAt(this.position))) this.position++
      if (this.position < tape.end) {
        const unit = tape.codeAt(this.position)
        return isSpace(unit) ? -1 : unit
      }
      if (tape.ended) return -1
      yield more
    }
  }

  /** The longest of the markers that is at the position; `matchEnd` is where it ends. */
  *match(markers: readonly Marker[], position = this.position): Reading<Marker | undefined> {
    for (;;) {
      const { tape } = this
      let longest: Marker | undefined
      let undecided = false
      this.matchEnd = position
      for (const marker of markers) {
        const length = marker.lengthAt(tape.text, position - tape.base, tape.ended)
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
   * What comes after a position and white space: one of the markers, the end of the stream, or something else.
   * Only what can follow a closing marker shows that one inside data is what it seems.
   */
  *lookAfter(markers: readonly Marker[], from: number): Reading<'marker' | 'end' | 'other'> {
    const { position } = this
    this.position = from
    const unit = yield* this.skipSpace()
    const found = unit !== -1 ? yield* this.match(markers) : undefined
    const isOver = this.tape.ended && this.position >= this.tape.end
    this.position = position
    return found !== undefined ? 'marker' : isOver ? 'end' : 'other'
  }

  /** Whether the stream ended at the position, or inside what would have been one of the markers. */
  isCutAt(markers: readonly Marker[]): boolean {
    const { tape, position } = this
    if (!tape.ended) return false
    const index = position - tape.base
    return (
      position >= tape.end || markers.some((marker) => marker.lengthAt(tape.text, index, false) < 0)
    )
  }

  /**
   * Passes text to a sink, or takes it as markup if there is none, up to the first marker of a set, and moves there;
   * `matchEnd` is where the marker ends. Undefined if the stream ended first.
   */
  *passUntil(set: MarkerSet, sink?: Sink): Reading<Marker | undefined> {
    const scan = new Scan(set, sink)
    scan.start(this.position)
    yield scan
    const marker = scan.found[0]
    this.position = scan.foundAt
    this.matchEnd = marker === undefined ? this.position : scan.endOf(marker, this.tape)
    return marker
  }

  /** Where text goes. */
  get textSink(): Sink {
    return this.output.textSink
  }

  /** Starts a segment; a lazy one starts with its first content, or not at all. What comes after its end is text. */
  segment(type: SegmentType, metadata: JsonObject, lazy = false): SegmentWriter {
    return this.output.segment(type, metadata, { lazy })
  }

  /** Starts a call, as a segment of the type that its tool is shown as. */
  call(call: CallStart): CallWriter {
    return this.output.call(call, this.parametersOf(call.name))
  }

  /** Whether a call that nothing but its shape announces is believed. */
  isKnown(name: string): boolean {
    return this.#knownTools === undefined || this.#knownTools.has(name)
  }

  /** How calls to a tool are shown, if not as a `tool_call`. */
  projectionOf(name: string): Projection | undefined {
    return projectionOf(name, this.#projections)
  }

  /** The types of a tool's parameters, if they are known. */
  parametersOf(name: string): ParameterTypes | undefined {
    return Object.hasOwn(this.#tools, name) ? this.#tools[name] : undefined
  }

  /** Whether a tool is known to have an argument. */
  hasArgument(tool: string, key: string): boolean {
    const { content, path, types = {} } = this.projectionOf(tool) ?? {}
    return (
      key === content ||
      key === path ||
      Object.hasOwn({ ...types, ...this.parametersOf(tool) }, key)
    )
  }
}
