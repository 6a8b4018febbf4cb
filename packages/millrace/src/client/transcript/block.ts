import type { Citation } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'

interface BlockBase {
  /** The key for rendering, unique in its agent and stable. */
  readonly key: number
  /** The wire id of the block; empty if it has none. [ENV-7] */
  readonly id: string
  readonly done: boolean
  /** Whether the block was closed because its run was interrupted. */
  readonly interrupted: boolean
}

/** An image in a tool result. */
export interface BlockImage {
  readonly src: string
  readonly mediaType: string
}

/** A stage of a call. */
export interface CallStatus {
  /** `approval_requested`, `approved`, `refused`, `expired`, `answered`, `started`, `progress`, `succeeded` or `failed`. */
  readonly stage: string
  /** The progress of the tool, the reason of a denial, or the arguments that were approved instead. */
  readonly detail: string
}

/** The latest decision on a call; `detail` is the reason, or the arguments that were approved instead. [APR-3] */
export interface CallDecisionStatus extends CallStatus {
  /** The user who decided, if the server has users. */
  readonly by: string | undefined
  /** The time in ISO 8601. */
  readonly at: string
  /** The hash of the arguments that were decided on. */
  readonly inputHash: string | undefined
  /** Whether the call was approved with other arguments. */
  readonly edited: boolean
}

/**
 * The fields of a content block. All types have all fields, empty where unused: the engine then sees one class of object, and a page may
 * read any field of any block.
 */
interface BlockContent extends BlockBase {
  /** Of a call: the arguments so far, as the model wrote them; `toolInput(block)` returns them as a value. */
  readonly text: string
  /** The name of a tool. */
  readonly name: string
  /** The provider's server of a call. */
  readonly serverName: string | undefined
  /** Whether the provider hides the reasoning. */
  readonly redacted: boolean
  /** Whether the text is a summary that the model wrote for itself, not part of the answer. */
  readonly compaction: boolean
  /** The citations of a text. */
  readonly citations: readonly Citation[]
  /** The result of a call. */
  readonly result: ResultBlock | undefined
  /** The latest reported stage of a call. [LIFE-11] */
  readonly status: CallStatus | undefined
  /** The decision on a call; undefined without a request, or if the server does not record it. */
  readonly decision: CallDecisionStatus | undefined
  /** Whether a result is an error. */
  readonly isError: boolean
  /** Images of a result. */
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

/** A call of a tool, and its result once it has one. */
export interface CallBlock extends BlockContent {
  readonly type: 'tool_call' | 'server_tool_call'
}

/** The result of a tool. */
export interface ResultBlock extends BlockContent {
  readonly type: 'tool_result' | 'server_tool_result'
}

/** A message of a user to the active run. */
export interface UserBlock extends BlockContent {
  readonly type: 'user_message'
}

/** A block that is made of pieces. */
export type PieceBlock = TextBlock | ThinkingBlock | UserBlock | CallBlock | ResultBlock

/** An error of the stream. */
export interface ErrorBlock extends BlockBase {
  readonly type: 'error'
  readonly error: JsonObject
  readonly result?: undefined
}

/** One block of an agent, in order of starts. */
export type Block = PieceBlock | ErrorBlock
