import type { JsonObject } from '../../json/index.ts'

/** What every block has. */
interface BlockBase {
  /** Unique in its agent and stable for the block's life: the key to render it by. */
  readonly key: number
  /** The wire's id of the block; empty where it has none. [ENV-7] */
  readonly id: string
  readonly done: boolean
  /** The block was closed because its run was cut, not because it was whole. */
  readonly interrupted: boolean
}

/** A passage that supports a text block, with the wire's own fields beside the cited text. */
export interface Citation {
  readonly citedText: string
  readonly fields: JsonObject
}

/** An image in a tool result. */
export interface BlockImage {
  readonly src: string
  readonly mediaType: string
}

/** A stage that a call has come to. */
export interface CallStatus {
  /** `approval_requested`, `approved`, `refused`, `expired`, `answered`, `started`, `progress`, `succeeded` or `failed`. */
  readonly stage: string
  /** How far the tool is, why a person refused, or which arguments they approved instead. */
  readonly detail: string
}

/** The latest decision on a call; `detail` is the reason, or the arguments that were approved instead. [APR-3] */
export interface CallDecisionStatus extends CallStatus {
  /** Who decided, if the server knows that. */
  readonly by: string | undefined
  /** When, in ISO 8601. */
  readonly at: string
  /** The hash of the arguments on which it was decided. */
  readonly inputHash: string | undefined
  /** Whether the call was approved with other arguments. */
  readonly edited: boolean
}

/**
 * What a block of content has. All types have all fields, empty where a type has no use for them: the engine then
 * sees one class of object, and a page may ask any block for any of them.
 */
interface BlockContent extends BlockBase {
  /** For a call, the arguments as the model wrote them, so far; `toolInput(block)` gives them as a value. */
  readonly text: string
  /** The name of a tool. */
  readonly name: string
  /** The provider's server that a call is for. */
  readonly serverName: string | undefined
  /** Reasoning that the provider keeps to itself. */
  readonly redacted: boolean
  /** Text that is a summary which the model wrote for itself, not part of the answer. */
  readonly compaction: boolean
  /** What supports a text. */
  readonly citations: readonly Citation[]
  /** What answered a call. */
  readonly result: ResultBlock | undefined
  /** Where a call stands on its way to a result, as far as it was told. [LIFE-11] */
  readonly status: CallStatus | undefined
  /** Who decided on a call and when; undefined if nobody was asked, or the server does not record it. */
  readonly decision: CallDecisionStatus | undefined
  /** A result that tells of a failure. */
  readonly isError: boolean
  /** Images in a result. */
  readonly images: readonly BlockImage[]
}

/** Text of the answer. */
export interface TextBlock extends BlockContent {
  readonly type: 'text'
}

/** Reasoning of the model. */
export interface ThinkingBlock extends BlockContent {
  readonly type: 'thinking'
}

/** A call of a tool, with its result once there is one. */
export interface CallBlock extends BlockContent {
  readonly type: 'tool_call' | 'server_tool_call'
}

/** What a tool answered. */
export interface ResultBlock extends BlockContent {
  readonly type: 'tool_result' | 'server_tool_result'
}

/** What a person wrote to the run under way. */
export interface UserBlock extends BlockContent {
  readonly type: 'user_message'
}

/** A block that messages are appended to. */
export type ContentBlock = TextBlock | ThinkingBlock | UserBlock | CallBlock | ResultBlock

/** A failure, as the stream told it. */
export interface ErrorBlock extends BlockBase {
  readonly type: 'error'
  readonly error: JsonObject
  readonly result?: undefined
}

/** One thing in an agent's column, in the order in which it began. */
export type Block = ContentBlock | ErrorBlock
