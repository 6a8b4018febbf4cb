import type { JsonObject } from '../../json/index.ts'
import {
  createStreamingResponseHandler,
  type SegmentEvent,
  type StreamingResponseHandler,
} from '../../segments/index.ts'
import type { CallPiece } from '../../events/index.ts'

interface CallSegmentOptions {
  /** Id of the segment: that of the call, unless another call had it. */
  readonly id: string
  /** Additional metadata of its start. */
  readonly metadata: JsonObject
  readonly write: (event: SegmentEvent) => void
}

/** A call whose arguments are growing. For some tools they are shown as the content that they write. [SEG-33] */
export class CallSegment {
  readonly #options: CallSegmentOptions
  readonly #handler: StreamingResponseHandler

  constructor({ name, type }: Pick<CallPiece, 'name' | 'type'>, options: CallSegmentOptions) {
    this.#options = options
    this.#handler = createStreamingResponseHandler({
      strategy: 'api_tool_call',
      // Tools of the provider do not write our files or run our commands.
      ...(type === 'server_tool_call' && { projections: {} }),
    })
    this.#pass(this.#handler.feed({ tool_calls: [{ call_id: options.id, name }] }), false)
  }

  add(delta: string): void {
    this.#pass(this.#handler.feed({ tool_calls: [{ arguments_delta: delta }] }), false)
  }

  end(isInterrupted: boolean): void {
    this.#pass(this.#handler.finalize(), isInterrupted)
  }

  #pass(events: readonly SegmentEvent[], isInterrupted: boolean): void {
    const { metadata, write } = this.#options
    for (const event of events) {
      if (event.type === 'SEGMENT_START') {
        write({ ...event, payload: { metadata: { ...event.payload.metadata, ...metadata } } })
      } else if (event.type === 'SEGMENT_END' && isInterrupted) {
        write({ ...event, payload: { ...event.payload, complete: false } })
      } else write(event)
    }
  }
}
