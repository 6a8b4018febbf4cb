import type { JsonObject } from '../json/index.ts'
import type { ContentBlock, Usage } from './message.ts'
import type { MessageOutcome, MessageRetry } from './message-outcome.ts'

/** The kind of a block, independent of the provider's type. */
export type BlockKind =
  | 'text'
  | 'thinking'
  | 'tool_call'
  | 'server_tool_call'
  | 'server_tool_result'
  | 'other'

/** A message starts. */
export interface MessageStart {
  readonly type: 'message_start'
  readonly messageId: string
  readonly model: string
}

/** A block opens; `block` counts blocks from 0 in start order. */
export interface BlockStart {
  readonly type: 'block_start'
  readonly block: number
  readonly kind: BlockKind
  /** The block as the provider opened it. Results of server tools are complete here. */
  readonly content: ContentBlock
}

/** An increment of an open block: text, thinking, or the JSON text of tool input. */
export interface BlockDelta {
  readonly type: 'block_delta'
  readonly block: number
  readonly text: string
}

/** A citation of an open text block. */
export interface BlockCitation {
  readonly type: 'block_citation'
  readonly block: number
  readonly citation: JsonObject
}

/** A block is complete. */
export interface BlockEnd {
  readonly type: 'block_end'
  readonly block: number
  readonly kind: BlockKind
  /** The block as sent back to the provider in the next request. */
  readonly content: ContentBlock
  /** Tool input exactly as the model wrote it; `{}` if it wrote nothing. */
  readonly inputText?: string
}

/** A failure of a message, described for people. */
export interface ModelFailure {
  readonly type: string
  readonly message: string
  readonly retriable: boolean
  readonly status?: number
  readonly retryAfterMs?: number
  /** The provider's request id, for its support. */
  readonly requestId?: string
  /** Other fields of the provider's error, by its names. */
  readonly details?: JsonObject
}

/** A block that was open when its message ended. It is neither run nor signed. */
export interface CutBlock {
  readonly block: number
  readonly kind: BlockKind
  /** The block as the provider opened it. */
  readonly content: ContentBlock
  /** Its text, thinking or tool input so far. */
  readonly text: string
}

/** The terminal event of a model stream. A stream never throws for a failure on the provider's side. */
export interface MessageEnd {
  readonly type: 'message_end'
  readonly outcome: MessageOutcome
  /** The provider's stop reason. */
  readonly stopReason: string | null
  readonly usage: Usage
  /** The complete blocks in order, and interrupted text so far. No other partial blocks. */
  readonly content: readonly ContentBlock[]
  /** The blocks that were open; absent if there were none. */
  readonly cut?: readonly CutBlock[]
  /** Other fields of the provider's message, by its names; absent if there were none. */
  readonly details?: JsonObject
  readonly failure?: ModelFailure
  readonly retry: MessageRetry
}

/** An anomaly without other effects: an unknown event, or a delta for a block that is not open. */
export interface ModelNotice {
  readonly type: 'notice'
  readonly message: string
  readonly raw?: JsonObject
}

/** All events of a model stream. */
export type ModelEvent =
  | MessageStart
  | BlockStart
  | BlockDelta
  | BlockCitation
  | BlockEnd
  | MessageEnd
  | ModelNotice
