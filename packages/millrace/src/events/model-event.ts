import type { JsonObject } from '../json/index.ts'
import type { ContentBlock, Usage } from './message.ts'

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

/**
 * The outcome of a message. The first four are ends by the provider: `truncated` by a token limit, `paused` if the
 * provider continues when it receives its content back. The others are interruptions.
 */
export type MessageOutcome =
  | 'finished'
  | 'refused'
  | 'truncated'
  | 'paused'
  | 'interrupted'
  | 'failed'
  | 'aborted'

/**
 * The possible reaction to the end of a message: repeat the same `request`, `continue` with a request that includes
 * the content so far, or `none`.
 */
export type MessageRetry = 'request' | 'continue' | 'none'

/** Outcomes that the provider reports. */
export type ProviderEnd = 'finished' | 'refused' | 'truncated' | 'paused'

const providerEnds: ReadonlySet<MessageOutcome> = new Set<ProviderEnd>([
  'finished',
  'refused',
  'truncated',
  'paused',
])

/** Checks for an outcome that the provider reported. */
export function isProviderEnd(outcome: MessageOutcome): outcome is ProviderEnd {
  return providerEnds.has(outcome)
}

/** Returns the possible reaction to an interrupted message; `isBegun` is true if a block had opened. */
export function retryOfCut(
  outcome: Exclude<MessageOutcome, ProviderEnd>,
  { isBegun, failure }: { readonly isBegun: boolean; readonly failure?: ModelFailure | undefined },
): MessageRetry {
  const mayPass = failure?.retriable ?? outcome === 'interrupted'
  if (outcome === 'aborted' || !mayPass) return 'none'
  return isBegun ? 'continue' : 'request'
}
