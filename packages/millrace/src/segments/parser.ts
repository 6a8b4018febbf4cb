import { type CompatibilityChoice, toBareEvent } from './compatibility.ts'
import { type Projections, toProjections } from './calls/projection.ts'
import { checkOptions } from './checks/check-options.ts'
import type { CodeRules } from './engine/scan/code-regions.ts'
import { grammarOf } from './engine/compile-format.ts'
import { readDocument } from './engine/read-document.ts'
import { Reader, type Reading } from './engine/reader.ts'
import { SegmentOutput } from './engine/segment-output.ts'
import { more, type Step, InputBuffer, type SourcePiece } from './engine/scan/input-buffer.ts'
import type { Format } from './format.ts'
import { type HiddenCall, HiddenCallFinder } from './hidden-calls.ts'
import { chooseFormats, type FormatChoice } from './choose-formats.ts'
import { createInvocationReader } from './invocations/invocation-reader.ts'
import { type SegmentLimits, toLimits } from './limits.ts'
import type { ToolParameters } from './parameter-types.ts'
import { type CreateSegmentId, SegmentEmitter } from './segment-emitter.ts'
import type { SegmentEvent } from './segment-event.ts'
import { badRequest, type MillraceError } from '../errors/index.ts'

/** Options of a segment parser. */
export interface SegmentParserOptions
  extends FormatChoice, CompatibilityChoice, Partial<CodeRules> {
  /** The state at the start of the stream: `reasoning` if the prompt already contains the opening tag. */
  readonly startIn?: 'text' | 'reasoning'
  /** Whether a block that opens inside reasoning ends it. */
  readonly toolInReasoning?: 'interrupt' | 'ignore'
  /** The known tools: calls without a marker must name one of them. */
  readonly knownTools?: readonly string[]
  /** Types of the tools' parameters, for formats that write all values as text. */
  readonly tools?: ToolParameters
  /** Tools whose calls are shown as segments of a projected type. */
  readonly projections?: Projections
  readonly limits?: Partial<SegmentLimits>
  /** Creates the ids of segments; default: `seg_1`, `seg_2`, … */
  readonly createId?: CreateSegmentId
  /** Called with an error that the code of a format threw; its block becomes text, or ends malformed. */
  readonly onError?: (error: unknown) => void
  /** Called with the role of each piece of the input, in order. */
  readonly onSource?: (piece: SourcePiece) => void
  /** Called for each complete call that is text because it is in code, once that code has ended. */
  readonly onHiddenCall?: (call: HiddenCall) => void
}

/** Converts the text of a model to segment events, as it arrives. */
export interface SegmentParser {
  /** Parses more text, cut anywhere, and returns the events that are certain. */
  feed(text: string): SegmentEvent[]
  /** Ends the stream: held text is released, open segments are closed. */
  finalize(): SegmentEvent[]
  /** The text that was fed and is still undecided. */
  readonly held: string
}

/** Creates a parser; its output depends only on the text, not on how it was split. */
export function createSegmentParser(options: SegmentParserOptions = {}): SegmentParser {
  const parser = createDetailedParser(options)
  if (options.compatibility === undefined) return parser
  return {
    feed: (text) => parser.feed(text).map(toBareEvent),
    finalize: () => parser.finalize().map(toBareEvent),
    get held() {
      return parser.held
    },
  }
}

/** Creates a parser whose ends have everything that invocations need, with any compatibility. */
export function createDetailedParser(options: SegmentParserOptions): SegmentParser {
  return new StreamingSegmentParser(options, chooseFormats(options))
}

class StreamingSegmentParser implements SegmentParser {
  readonly #input: InputBuffer
  readonly #emitter: SegmentEmitter
  readonly #reader: Reader
  readonly #reading: Reading<void>
  #step: Step = more
  #finalized = false

  constructor(options: SegmentParserOptions, formats: readonly Format[]) {
    checkOptions(options)
    const { compatibility, toolInReasoning = 'interrupt' } = options
    const rule = compatibility === undefined ? 'opaque' : 'transparent'
    const { fences = rule, inline = rule } = options
    const grammar = grammarOf(formats, { rules: { fences, inline }, toolInReasoning })
    if (options.startIn === 'reasoning' && grammar.reasoning === undefined)
      throw badRequest(
        'startIn is "reasoning", but no format defines the end of reasoning. Add the format think, or omit startIn.',
      )
    const { createId = (number: number) => `seg_${number}` } = options
    this.#emitter = new SegmentEmitter(createId, compatibility)
    this.#input = new InputBuffer(options.onSource, () => this.#emitter.openId)
    const limits = toLimits(options.limits)
    const projections = toProjections(options.projections)
    this.#reader = new Reader({
      input: this.#input,
      output: new SegmentOutput({ emitter: this.#emitter, limits, projections }),
      limits,
      projections,
      tools: options.tools ?? {},
      knownTools: options.knownTools === undefined ? undefined : new Set(options.knownTools),
      onError: options.onError,
      codeWatch: this.#createWatch(options),
      projectsJson: compatibility === undefined,
    })
    this.#reading = readDocument(this.#reader, grammar, options.startIn ?? 'text')
  }

  /** Parses the text in code a second time, as if it were not in code. */
  #createWatch(options: SegmentParserOptions): HiddenCallFinder | undefined {
    const { onHiddenCall, projections, tools, limits } = options
    if (onHiddenCall === undefined) return undefined
    const { onSource: _, onError: __, createId: ___, onHiddenCall: ____, ...rest } = options
    const inCode = {
      ...rest,
      startIn: 'text',
      fences: 'transparent',
      inline: 'transparent',
    } as const
    return new HiddenCallFinder({
      createParser: () => createDetailedParser(inCode),
      createReader: () =>
        createInvocationReader({
          ...(projections !== undefined && { projections }),
          ...(tools !== undefined && { tools }),
          ...(limits !== undefined && { limits }),
        }),
      limits: toLimits(limits),
      onHiddenCall,
    })
  }

  get held(): string {
    return this.#input.held
  }

  feed(text: string): SegmentEvent[] {
    if (this.#finalized) throw finished('feed')
    if (typeof text !== 'string')
      throw badRequest(
        `feed takes text, but got ${text === null ? 'null' : typeof text}. Decode bytes with a TextDecoder first.`,
      )
    if (text === '') return []
    this.#input.push(text)
    this.#run()
    return this.#emitter.take()
  }

  finalize(): SegmentEvent[] {
    if (this.#finalized) throw finished('finalize')
    this.#finalized = true
    this.#input.finish()
    this.#run()
    return this.#emitter.take()
  }

  #run(): void {
    let next = this.#resume()
    while (next?.done === false) {
      this.#step = next.value
      next = this.#resume()
    }
  }

  /** Continues as far as the text allows; an error of a format's own step is thrown where the format waits for the step. */
  #resume(): IteratorResult<Step, void> | undefined {
    try {
      if (!this.#step.advance(this.#input)) return undefined
    } catch (error) {
      if (this.#reader.depth === 0) throw error
      return this.#reading.throw(error)
    }
    return this.#reading.next()
  }
}

function finished(method: string): MillraceError {
  return badRequest(
    `${method} was called after finalize. A parser reads one stream; create another for the next.`,
  )
}

/** Creates a stream from text to segment events, with its own parser. */
export function createSegmentStream(
  options: SegmentParserOptions = {},
): TransformStream<string, SegmentEvent> {
  const parser = createSegmentParser(options)
  return new TransformStream({
    transform(text, controller) {
      for (const event of parser.feed(text)) controller.enqueue(event)
    },
    flush(controller) {
      for (const event of parser.finalize()) controller.enqueue(event)
    },
  })
}
