import type { JsonObject } from '../json/index.ts'

/** What every block has. */
interface BlockBase {
  /** Unique in its agent and stable for the block's life: the key to render it by. */
  readonly key: number
  /** The wire's id of the block; empty where it has none. [ENV-7] */
  readonly id?: string
  readonly done: boolean
  /** The block was closed because its run was cut, not because it was whole. */
  readonly interrupted: boolean
}

/** A block of text as it grows. */
interface GrowingBlock extends BlockBase {
  readonly text: string
  /** `text` in two parts, for the reducer: what is laid out, and the latest pieces. */
  readonly head?: string
  readonly tail?: string
}

/** A passage that supports a text block, with the wire's own fields beside the cited text. */
export interface Citation {
  readonly citedText: string
  readonly fields: JsonObject
}

/** Text of the answer. */
export interface TextBlock extends GrowingBlock {
  readonly type: 'text'
  readonly citations: readonly Citation[]
  /** A summary that the model wrote for itself, not part of the answer. */
  readonly compaction: boolean
}

/** Reasoning of the model. */
export interface ThinkingBlock extends GrowingBlock {
  readonly type: 'thinking'
  readonly redacted: boolean
}

/** An image in a tool result. */
export interface BlockImage {
  readonly src: string
  readonly mediaType: string
}

/** What a tool answered. */
export interface ResultBlock extends GrowingBlock {
  readonly type: 'tool_result' | 'server_tool_result'
  readonly id: string
  readonly name: string
  readonly isError: boolean
  readonly images: readonly BlockImage[]
}

/** A piece of a call's arguments, with those before it. */
export interface InputPiece {
  readonly text: string
  readonly before: InputPiece | undefined
}

/** A call of a tool, with its result once there is one. */
export interface CallBlock extends GrowingBlock {
  readonly type: 'tool_call' | 'server_tool_call'
  readonly id: string
  readonly name: string
  readonly serverName: string | undefined
  /** The arguments as the model wrote them, so far; `toolInput(block)` gives them as a value. */
  readonly text: string
  readonly result: ResultBlock | undefined
  /** The last piece of `text` while it is open, so that `toolInput` need not read the others again. */
  readonly lastPiece?: InputPiece | undefined
}

/** A failure, as the stream told it. */
export interface ErrorBlock extends BlockBase {
  readonly type: 'error'
  readonly error: JsonObject
}

/** One thing in an agent's column, in the order in which it began. */
export type Block = TextBlock | ThinkingBlock | CallBlock | ResultBlock | ErrorBlock
