import type { MessageCut } from '../models/stream/index.ts'
import type { SseFrame } from '../sse/index.ts'
import type { ProviderInput } from './provider-input.ts'

/** Converts a provider's stream to frames for clients, without I/O and without waiting. */
export interface Formatter {
  /** The frame that ends the stream on the wire, if the format has one. [SSE-5] */
  readonly done: SseFrame | undefined
  /** True once no further input can have an effect: the stream has failed or is finished. */
  readonly isOver: boolean
  /** Reads the next input and returns its frames; `encodeSse` encodes them. */
  feed(input: ProviderInput): SseFrame[]
  /** Ends the stream, closes open blocks, and reports an error if the stream ended too early. */
  finish(cut?: MessageCut): SseFrame[]
}
