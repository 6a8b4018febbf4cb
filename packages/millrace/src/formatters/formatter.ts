import type { MessageCut } from '../model-stream/index.ts'
import type { SseFrame } from '../sse/index.ts'
import type { ProviderInput } from './provider-input.ts'

/** Turns the stream of a provider into messages for those who watch, without I/O and without waiting. */
export interface Formatter {
  /** What ends the stream on the wire, where the format has such a word. [SSE-5] */
  readonly done: SseFrame | undefined
  /** True once nothing can follow from what else comes: the stream has failed, or was finished. */
  readonly isOver: boolean
  /** Takes what came next and gives the frames that it becomes; `encodeSse` writes them. */
  feed(input: ProviderInput): SseFrame[]
  /** Takes the end of the stream, closes what is open, and says what was wrong if it came too early. */
  finish(cut?: MessageCut): SseFrame[]
}
