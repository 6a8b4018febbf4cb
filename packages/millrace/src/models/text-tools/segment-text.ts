import {
  createInvocationReader,
  createSegmentParser,
  defaultProjections,
  type HiddenCall,
  type InvocationReader,
  type Projection,
  type SegmentEnd,
  type SegmentEndPayload,
  type SegmentEvent,
  type SegmentParser,
  type SegmentParserOptions,
  type SegmentStart,
  type ToolInvocation,
} from '../../segments/index.ts'
import { type AnswerBlocks, CallBlocks, type CreateCallId, toFoundCall } from './call-blocks.ts'
import type { OpenBlock } from '../stream/index.ts'
import type { JsonObject } from '../../json/index.ts'

/** The option for calls of known tools in Markdown code, which are text. */
export interface HiddenCallChoice {
  /**
   * `notice` reports to the host, `refuse` also to the model: if the answer has no other call, a call in a fence
   * becomes a call with unreadable arguments, so that its result explains why it was not run.
   */
  readonly hiddenCalls?: 'notice' | 'refuse'
}

/** Options for finding calls in text. */
export interface SegmentTextOptions
  extends HiddenCallChoice, Omit<SegmentParserOptions, 'compatibility' | 'createId'> {}

/** The arguments of a refused call: not JSON, so that the agent returns them to the model. */
const REFUSED =
  'This call stood in a code block and was not run. To run it, write it again outside of code. If it was an example, go on with your answer.'

/** Appended to the arguments of a call without an end. Without quotes and brackets it never makes them JSON. */
const CUT = '\n\nThis call has no end, so it was not run. To run it, write it again up to its end.'

interface SegmentTextParts {
  readonly blocks: AnswerBlocks
  readonly createId: CreateCallId
  readonly options: SegmentTextOptions
}

interface CallSegment {
  readonly start: SegmentStart
  readonly name: string
  /** Set if the segment is a file or command. */
  readonly projected: ProjectedJson | undefined
  /** Whether its content is the JSON of its arguments, or a notation that is read when it is complete. */
  mode: 'json' | 'notation' | undefined
  open: OpenBlock | undefined
  /** The notation so far. */
  source: string
}

type Segment = 'text' | 'thinking' | CallSegment

/** Reads text in which a model writes its reasoning and its calls. */
export class SegmentText {
  readonly #blocks: AnswerBlocks
  readonly #calls: CallBlocks
  readonly #options: SegmentTextOptions
  readonly #invocations: InvocationReader
  readonly #segments = new Map<string, Segment>()
  /** Calls in fences, for a message without other calls. */
  readonly #fenced: HiddenCall[] = []
  /** Calls without an end. */
  readonly #cut: CallSegment[] = []
  #parser: SegmentParser | undefined
  /** Number of segments of all parsers. */
  #count = 0

  constructor({ blocks, createId, options }: SegmentTextParts) {
    this.#blocks = blocks
    this.#calls = new CallBlocks(blocks, createId)
    this.#options = { projections: {}, ...options }
    const { tools, limits } = options
    this.#invocations = createInvocationReader({
      ...(tools !== undefined && { tools }),
      ...(limits !== undefined && { limits }),
    })
  }

  get hasCalls(): boolean {
    return this.#calls.hasEnded
  }

  get isInCall(): boolean {
    return [...this.#segments.values()].some((segment) => typeof segment === 'object')
  }

  write(text: string): void {
    this.#parser ??= createSegmentParser({
      ...this.#options,
      onHiddenCall: (call) => this.#takeHidden(call),
      createId: () => `seg_${++this.#count}`,
    })
    for (const event of this.#parser.feed(text)) this.#take(event)
  }

  /** Ends the text: held text is released. Later text starts a new parser. */
  finish(): void {
    const events = this.#parser?.finalize() ?? []
    this.#parser = undefined
    for (const event of events) this.#take(event)
  }

  /** Ends the message: calls without an end are refused, and so are calls in fences if it has no other. */
  endMessage(): void {
    for (const segment of this.#cut)
      this.#writeCall(this.#openCall(segment), `${segment.source}${CUT}`)
    if (this.hasCalls || this.#options.hiddenCalls !== 'refuse') return
    for (const { name } of this.#fenced) {
      const open = this.#calls.open({ name, segmentId: `seg_${++this.#count}` })
      this.#writeCall(open, REFUSED)
    }
  }

  #takeHidden(call: HiddenCall): void {
    const { name, reason } = call
    this.#options.onHiddenCall?.(call)
    if (!this.#isKnown(name)) return
    this.#blocks.note(`A call of ${name} in Markdown code was not run.`, { name, reason })
    if (reason !== 'inline_code') this.#fenced.push(call)
  }

  #take(event: SegmentEvent): void {
    const id = event.segment_id
    if (event.type === 'SEGMENT_START') return void this.#segments.set(id, toSegment(event))
    const segment = this.#segments.get(id)
    if (segment === undefined) return
    if (event.type === 'SEGMENT_CONTENT') return this.#append(segment, event.payload.delta, event)
    this.#segments.delete(id)
    if (segment === 'thinking') this.#blocks.endProse()
    else if (segment !== 'text') this.#endCall(segment, event)
  }

  #append(segment: Segment, text: string, event: SegmentEvent): void {
    if (typeof segment === 'string') return this.#blocks.write(segment, text)
    const { projected } = segment
    if (projected !== undefined) {
      return this.#calls.append(this.#openCall(segment), projected.append(text))
    }
    if (segment.mode === undefined) this.#chooseMode(segment, text)
    if (segment.mode === 'json') return this.#calls.append(this.#openCall(segment), text)
    this.#invocations.feed(event)
    segment.source += text
  }

  /** JSON arguments are shown as they arrive; others become JSON when they are complete. */
  #chooseMode(segment: CallSegment, text: string): void {
    const first = text.trimStart().charAt(0)
    const { name, start } = segment
    if (first === '') return
    const isNamed = name !== '' && start.payload.metadata['arguments'] === undefined
    segment.mode = isNamed && first === '{' ? 'json' : 'notation'
    if (isNamed && first === '<') this.#openCall(segment)
    if (segment.mode === 'notation') this.#invocations.feed(start)
  }

  #openCall(segment: CallSegment): OpenBlock {
    segment.open ??= this.#calls.open(toFoundCall(segment.start, segment.name))
    return segment.open
  }

  #endCall(segment: CallSegment, event: SegmentEnd): void {
    const { projected, mode, start } = segment
    if (event.payload.complete === false) return this.#cutCall(segment, event)
    if (projected !== undefined) {
      const open = this.#openCall(segment)
      this.#calls.append(open, projected.end(event.payload))
      return this.#calls.end(open)
    }
    if (mode === 'json') return this.#calls.end(this.#openCall(segment))
    if (mode === undefined) this.#invocations.feed(start)
    this.#endNotation(segment, this.#invocations.feed(event))
  }

  /** A call that was cut stays open, unless its message is complete. */
  #cutCall(segment: CallSegment, event: SegmentEnd): void {
    const { name, source } = segment
    this.#invocations.feed(event)
    if (name === '') {
      const message = 'A call that was cut before its name was known was omitted.'
      return this.#blocks.note(message, { source })
    }
    this.#openCall(segment)
    this.#cut.push(segment)
  }

  /** An unreadable call is text if it had no marker, otherwise a call whose arguments are refused. */
  #endNotation(segment: CallSegment, found: readonly ToolInvocation[]): void {
    const { name, source } = segment
    const isCall = name !== '' || found.some((call) => this.#isKnown(call.name))
    if (!isCall) return this.#blocks.write('text', source)
    if (found.length === 0) this.#writeCall(this.#openCall(segment), source)
    for (const call of found) {
      const open = segment.open ?? this.#calls.open({ name: call.name, segmentId: call.id })
      segment.open = undefined
      this.#writeCall(open, JSON.stringify(call.arguments))
    }
  }

  #writeCall(open: OpenBlock, json: string): void {
    this.#calls.append(open, json)
    this.#calls.end(open)
  }

  #isKnown(name: string): boolean {
    return this.#options.knownTools?.includes(name) ?? true
  }
}

function toSegment(start: SegmentStart): Segment {
  if (start.segment_type === 'text') return 'text'
  if (start.segment_type === 'reasoning') return 'thinking'
  const projected = toProjectedJson(start)
  const name = projected?.name ?? toFoundCall(start).name
  return { start, name, projected, mode: undefined, open: undefined, source: '' }
}

/** Metadata of a segment that is not an argument. */
const aboutCall: ReadonlySet<string> = new Set(['tool_name', 'call_id'])

/** Writes the arguments of a projected call as JSON, while its content arrives. */
class ProjectedJson {
  readonly name: string
  readonly #projection: Projection
  readonly #metadata: JsonObject
  readonly #written = new Set<string>()
  #isInContent = false

  constructor(name: string, projection: Projection, metadata: JsonObject) {
    this.name = name
    this.#projection = projection
    this.#metadata = metadata
  }

  /** Returns the JSON that a chunk of the content adds. */
  append(text: string): string {
    const piece = JSON.stringify(text).slice(1, -1)
    if (this.#isInContent) return piece
    this.#isInContent = true
    const before = this.#writeMembers(this.#metadata)
    return `${before}${this.#writeKey(this.#projection.content)}"${piece}`
  }

  /** Returns the JSON that ends the arguments, with the metadata of the end; a content that was not written is absent. */
  end({ metadata, empty }: SegmentEndPayload): string {
    const known = { ...this.#metadata, ...metadata }
    const isEmpty = empty === true && !Object.hasOwn(known, this.#projection.content)
    const opening = isEmpty && !this.#isInContent ? this.append('') : ''
    const members = `${opening}${this.#isInContent ? '"' : ''}${this.#writeMembers(known)}`
    return this.#written.size === 0 ? '{}' : `${members}}`
  }

  #writeMembers(values: JsonObject): string {
    const { path = 'path', content } = this.#projection
    const members = Object.entries(values).map(([key, value]) => {
      const name = key === 'path' ? path : key
      const isElsewhere = aboutCall.has(key) || (name === content && this.#isInContent)
      const isKnown = isElsewhere || this.#written.has(name)
      return isKnown ? '' : this.#writeKey(name) + JSON.stringify(value)
    })
    return members.join('')
  }

  #writeKey(name: string): string {
    const mark = this.#written.size === 0 ? '{' : ','
    this.#written.add(name)
    return `${mark}${JSON.stringify(name)}:`
  }
}

/** Returns the arguments of a projected segment; undefined for other segments. */
function toProjectedJson(start: SegmentStart): ProjectedJson | undefined {
  const { tool_name: tool } = start.payload.metadata
  const type = start.segment_type
  const name = typeof tool === 'string' && tool !== '' ? tool : type
  const projection = [name.toLowerCase(), type]
    .map((key) => (Object.hasOwn(defaultProjections, key) ? defaultProjections[key] : undefined))
    .find((found) => found?.segment === type)
  return projection && new ProjectedJson(name, projection, start.payload.metadata)
}
