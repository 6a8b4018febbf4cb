import {
  createInvocationReader,
  createSegmentParser,
  type InvocationReader,
  type SegmentEnd,
  type SegmentEvent,
  type SegmentParser,
  type SegmentParserOptions,
  type SegmentStart,
} from '../segments/index.ts'
import type { ChatCall } from './chat-call.ts'
import type { ChatCalls } from './chat-calls.ts'
import type { MessageBlocks } from './message-blocks.ts'
import type { TextSink } from './text-sink.ts'

/** How calls are found in text; calls of files and commands stay calls. */
export type SegmentTextOptions = Omit<SegmentParserOptions, 'projections' | 'createId'>

/** What text is read into. */
export interface SegmentTextParts {
  readonly blocks: MessageBlocks
  readonly calls: ChatCalls
  readonly options: SegmentTextOptions
}

/** Reads text in which a model writes its reasoning and its calls. */
export function createSegmentText(parts: SegmentTextParts): TextSink {
  return new SegmentText(parts)
}

/** A call that is written while it comes, or one whose notation must be whole before it can be read. */
interface CallSegment {
  readonly start: SegmentStart
  call: ChatCall | undefined
  isWaiting: boolean
}

class SegmentText implements TextSink {
  readonly #blocks: MessageBlocks
  readonly #calls: ChatCalls
  readonly #parser: SegmentParser
  readonly #invocations: InvocationReader
  readonly #segments = new Map<string, 'text' | 'thinking' | CallSegment>()
  #finished = false

  constructor({ blocks, calls, options }: SegmentTextParts) {
    this.#blocks = blocks
    this.#calls = calls
    this.#parser = createSegmentParser({ ...options, projections: {} })
    const { tools, limits } = options
    this.#invocations = createInvocationReader({
      ...(tools !== undefined && { tools }),
      ...(limits !== undefined && { limits }),
    })
  }

  write(text: string): void {
    for (const event of this.#parser.feed(text)) this.#take(event)
  }

  finish(): void {
    if (this.#finished) return
    this.#finished = true
    for (const event of this.#parser.finalize()) this.#take(event)
  }

  #take(event: SegmentEvent): void {
    const id = event.segment_id
    if (event.type === 'SEGMENT_START') return void this.#segments.set(id, toSegment(event))
    const segment = this.#segments.get(id)
    if (segment === undefined) return
    if (event.type === 'SEGMENT_CONTENT') return this.#grow(segment, event.payload.delta, event)
    this.#segments.delete(id)
    if (typeof segment === 'string') this.#blocks.endProse()
    else this.#endCall(segment, event)
  }

  #grow(segment: 'text' | 'thinking' | CallSegment, text: string, event: SegmentEvent): void {
    if (typeof segment === 'string') {
      this.#calls.endWhole()
      return this.#blocks.write(segment, text)
    }
    if (segment.isWaiting) this.#chooseWay(segment, text)
    if (segment.call === undefined) this.#invocations.feed(event)
    else segment.call.take(toDelta(segment, text))
  }

  /** Arguments in JSON can be shown as they come; others become JSON when they are whole. */
  #chooseWay(segment: CallSegment, text: string): void {
    const first = text.trimStart().charAt(0)
    if (first === '') return
    segment.isWaiting = false
    if (first === '{' && nameOf(segment) !== '') segment.call = this.#calls.begin()
    else this.#invocations.feed(segment.start)
  }

  #endCall(segment: CallSegment, event: SegmentEnd): void {
    const isCut = event.payload.complete === false
    if (segment.isWaiting && nameOf(segment) !== '') {
      segment.call = this.#calls.begin()
      segment.call.take(toDelta(segment, ''))
    }
    if (segment.call === undefined) return this.#endRead(segment, event)
    if (isCut) this.#calls.cut(segment.call)
    else this.#calls.end(segment.call)
  }

  #endRead({ start, isWaiting }: CallSegment, event: SegmentEnd): void {
    if (isWaiting) this.#invocations.feed(start)
    const invocations = this.#invocations.feed(event)
    for (const { name, arguments: values } of invocations) {
      const call = this.#calls.begin()
      call.take({ index: undefined, id: '', name, text: JSON.stringify(values), extra: undefined })
      this.#calls.end(call)
    }
    if (invocations.length === 0) this.#blocks.note('A call that cannot be read was ignored.')
  }
}

function toSegment(start: SegmentStart): 'text' | 'thinking' | CallSegment {
  if (start.segment_type === 'text') return 'text'
  if (start.segment_type === 'reasoning') return 'thinking'
  return { start, call: undefined, isWaiting: true }
}

function nameOf({ start }: CallSegment): string {
  const { tool_name: name } = start.payload.metadata
  return start.segment_type === 'tool_call' && typeof name === 'string' ? name : ''
}

function toDelta(segment: CallSegment, text: string) {
  const { call_id: id } = segment.start.payload.metadata
  const callId = typeof id === 'string' ? id : ''
  return { index: undefined, id: callId, name: nameOf(segment), text, extra: undefined }
}
