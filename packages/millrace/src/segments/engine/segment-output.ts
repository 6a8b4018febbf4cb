import type { JsonObject } from '../../json/index.ts'
import type { CallStart, CallWriter, CallWriterOptions } from '../calls/call-writer.ts'
import { createCallWriter } from '../calls/create-call-writer.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import type { SegmentEmitter } from '../segment-emitter.ts'
import type { SegmentEndPayload, SegmentType } from '../segment-event.ts'
import type { Sink } from './scan/input-buffer.ts'

/** A segment that is being written. */
export interface SegmentWriter extends Sink {
  end(payload?: SegmentEndPayload): void
}

interface SegmentOptions {
  /** It starts with its first content, if any. */
  readonly lazy?: boolean
  /** The metadata comes from a header that the model wrote. */
  readonly isHeader?: boolean
  /** Whether its block has a body, possibly empty; a self-closing block has none. */
  readonly hasBody?: boolean
}

/** Segment types whose content is one argument of a call: the body of their block, even an empty one. */
const contentTypes: ReadonlySet<SegmentType> = new Set(['write_file', 'patch_file', 'run_bash'])

type SegmentOutputOptions = Pick<CallWriterOptions, 'emitter' | 'limits' | 'projections'>

/** Writes segments one after another: each start ends the open segment [SEG-1]. */
export class SegmentOutput {
  /** Number of segments and calls that have begun. */
  begun = 0
  /** Called once the current block is certain: ends the reasoning that the block interrupts. */
  interrupt: (() => void) | undefined
  readonly #options: SegmentOutputOptions
  readonly #emitter: SegmentEmitter
  #textId: string | undefined
  /** The segment that was started last; ending it twice has no effect. */
  #last: Pick<SegmentWriter, 'end'> | undefined
  #calls = 0

  constructor(options: SegmentOutputOptions) {
    this.#options = options
    this.#emitter = options.emitter
  }

  /** The maximum number of calls has begun. */
  get isFull(): boolean {
    return this.#calls >= this.#options.limits.maxCalls
  }

  /** The sink of text: a segment that is open until another one starts. */
  readonly textSink: Sink = {
    text: (piece) => {
      this.#textId ??= this.#startText()
      this.#emitter.content(this.#textId, piece)
    },
  }

  #startText(): string {
    this.#endPrevious()
    return this.#emitter.start('text', {})
  }

  closeText(): void {
    if (this.#textId !== undefined) this.#emitter.end(this.#textId)
    this.#textId = undefined
  }

  /** Starts a segment; a lazy one starts with its first content, if any. Content after its end is text. */
  segment(
    type: SegmentType,
    metadata: JsonObject,
    { lazy = false, isHeader = false, hasBody = true }: SegmentOptions = {},
  ): SegmentWriter {
    let id: string | undefined
    let isEmpty = hasBody && contentTypes.has(type)
    let ended = false
    const start = (): string => {
      this.#endPrevious(writer)
      if (type !== 'text' && type !== 'reasoning') this.#calls++
      return this.#emitter.start(type, metadata, { isHeader })
    }
    const writer: SegmentWriter = {
      text: (piece) => {
        if (piece === '') return
        if (ended) return this.textSink.text(piece)
        isEmpty = false
        this.#emitter.content((id ??= start()), piece)
      },
      end: (payload) => {
        const isMarked = isEmpty && payload?.complete !== false
        const endPayload = isMarked ? { ...payload, empty: true as const } : payload
        if (id !== undefined && !ended) this.#emitter.end(id, endPayload)
        ended = true
      },
    }
    if (!lazy) id = start()
    return this.#begin(writer)
  }

  /** Starts a call, as a segment of its tool's type. */
  call(call: CallStart, parameters: ParameterTypes | undefined): CallWriter {
    this.#endPrevious()
    this.#calls++
    const known = parameters !== undefined && { parameters }
    return this.#begin(createCallWriter({ ...this.#options, call, ...known }))
  }

  #begin<Writer extends Pick<SegmentWriter, 'end'>>(writer: Writer): Writer {
    this.#last = writer
    this.begun++
    return writer
  }

  #endPrevious(next?: SegmentWriter): void {
    this.endInterrupted()
    this.closeText()
    if (this.#last !== next) this.settle()
  }

  /** Ends the reasoning that the current block interrupts. */
  endInterrupted(): void {
    this.interrupt?.()
    this.interrupt = undefined
  }

  /** Ends the open segment or call. */
  settle(): void {
    this.#last?.end({ malformed: true })
    this.#last = undefined
  }
}
