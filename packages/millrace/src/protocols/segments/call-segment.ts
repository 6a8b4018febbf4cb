import type { JsonObject } from '../../json/index.ts'
import {
  createStreamingResponseHandler,
  type SegmentEvent,
  type StreamingResponseHandler,
} from '../../segments/index.ts'
import type { CallPiece } from '../../events/index.ts'

/** Where the events of a call go, and what they say beside the call. */
export interface CallSegmentOptions {
  /** The id of the segment: that of the call, unless another call had it. */
  readonly id: string
  /** More for the metadata of its start. */
  readonly metadata: JsonObject
  readonly say: (event: SegmentEvent) => void
}

/** A call while its arguments come, which for some tools are shown as what they write. [SEG-33] */
export class CallSegment {
  readonly #options: CallSegmentOptions
  readonly #handler: StreamingResponseHandler

  constructor({ name, type }: Pick<CallPiece, 'name' | 'type'>, options: CallSegmentOptions) {
    this.#options = options
    this.#handler = createStreamingResponseHandler({
      strategy: 'api_tool_call',
      // What the provider runs is none of our files and commands.
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
    const { metadata, say } = this.#options
    for (const event of events) {
      if (event.type === 'SEGMENT_START') {
        say({ ...event, payload: { metadata: { ...event.payload.metadata, ...metadata } } })
      } else if (event.type === 'SEGMENT_END' && isInterrupted) {
        say({ ...event, payload: { ...event.payload, complete: false } })
      } else say(event)
    }
  }
}
