import type { JsonObject } from '../json/index.ts'
import type { ContentBlock, Usage } from './message.ts'
import type { MessageOutcome, MessageRetry } from './message-outcome.ts'

/** What a block is to Millrace, whatever the provider calls it. */
export type BlockKind =
  | 'text'
  | 'thinking'
  | 'tool_call'
  | 'server_tool_call'
  | 'server_tool_result'
  | 'other'

/** A message begins. */
export interface MessageStart {
  readonly type: 'message_start'
  readonly messageId: string
  readonly model: string
}

/** A block opens; `block` counts blocks from 0 in the order in which they open. */
export interface BlockStart {
  readonly type: 'block_start'
  readonly block: number
  readonly kind: BlockKind
  /** The block as the provider opened it; results of server tools are whole here. */
  readonly content: ContentBlock
}

/** More of an open block: text, thinking, or the model's own JSON text of tool input. */
export interface BlockDelta {
  readonly type: 'block_delta'
  readonly block: number
  readonly text: string
}

/** A passage that supports an open text block. */
export interface BlockCitation {
  readonly type: 'block_citation'
  readonly block: number
  readonly citation: JsonObject
}

/** A block is whole. */
export interface BlockEnd {
  readonly type: 'block_end'
  readonly block: number
  readonly kind: BlockKind
  /** The block as it goes back to the provider in the next request. */
  readonly content: ContentBlock
  /** Tool input exactly as the model wrote it; `{}` where it wrote nothing. */
  readonly inputText?: string
}

/** Why a message failed, in words that may be shown. */
export interface ModelFailure {
  readonly type: string
  readonly message: string
  readonly retriable: boolean
  readonly status?: number
  readonly retryAfterMs?: number
  /** The provider's id of the request, which its support asks for. */
  readonly requestId?: string
  /** What else the provider said of the error, by its own names. */
  readonly details?: JsonObject
}

/** A block that was still open when its message ended, and that is therefore neither run nor signed. */
export interface CutBlock {
  readonly block: number
  readonly kind: BlockKind
  /** The block as the provider opened it. */
  readonly content: ContentBlock
  /** What had come of its text, thinking or tool input. */
  readonly text: string
}

/** The one terminal event of a model stream; a stream never throws for what the model's side did. */
export interface MessageEnd {
  readonly type: 'message_end'
  readonly outcome: MessageOutcome
  /** The provider's own word for its end. */
  readonly stopReason: string | null
  readonly usage: Usage
  /** The blocks that are whole, in order, and text that was cut, as far as it came; no other block in part. */
  readonly content: readonly ContentBlock[]
  /** The blocks that were still open; absent if there were none. */
  readonly cut?: readonly CutBlock[]
  /** What else the provider said of the message, by its own names; absent if nothing. */
  readonly details?: JsonObject
  readonly failure?: ModelFailure
  readonly retry: MessageRetry
}

/** Something odd that changed nothing else: an unknown event, a delta for a block that is not open. */
export interface ModelNotice {
  readonly type: 'notice'
  readonly message: string
  readonly raw?: JsonObject
}

/** What a model says, in the order in which it says it. */
export type ModelEvent =
  | MessageStart
  | BlockStart
  | BlockDelta
  | BlockCitation
  | BlockEnd
  | MessageEnd
  | ModelNotice
