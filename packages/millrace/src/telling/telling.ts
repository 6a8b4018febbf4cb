import type { Envelope } from '../envelope/index.ts'
import type { JsonObject } from '../json/index.ts'

/** The types of blocks that are told while they grow. */
export type ToldBlockType = 'text' | 'thinking' | 'tool_call' | 'server_tool_call'

/** A block of an agent. */
export interface ToldBlock {
  readonly type: ToldBlockType
  readonly agent: string
  /** The same at every reading and never again in the log: made of the id of the block's first message. */
  readonly key: string
  /** The id and the name of a call; empty for prose. */
  readonly toolUseId: string
  readonly name: string
  /** Further fields, such as `redacted` and `server_name`. */
  readonly fields: JsonObject
}

/** A passage that supports a text. */
export interface ToldCitation {
  readonly citedText: string
  readonly fields: JsonObject
}

/** An image of a result. */
export interface ToldImage {
  readonly src: string
  readonly mediaType: string
}

/** A call that waits for the browser or for a person's word. */
export interface ToldCall {
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  /** Whose call it is. */
  readonly agent: string
  /** The fields of its request for approval: `input_hash`, `asked_at` and `expires_at`, as far as they are there. [APR-1] */
  readonly request?: JsonObject
}

/** What the messages of a log tell, block by block, whatever they were cut into. */
export type Telling = { readonly agent: string } & (
  | { readonly type: 'run_start'; readonly isRoot: boolean; readonly info: JsonObject }
  | { readonly type: 'block_start'; readonly block: ToldBlock }
  | { readonly type: 'block_delta'; readonly block: ToldBlock; readonly delta: string }
  | {
      readonly type: 'block_end'
      readonly block: ToldBlock
      /** The arguments of a call as the model wrote them; empty for prose. */
      readonly input: string
      readonly citations: readonly ToldCitation[]
      /** The block was cut: its closing message says so, or the log has none. [LIFE-14] */
      readonly isInterrupted: boolean
    }
  | {
      readonly type: 'result'
      readonly isServer: boolean
      readonly toolUseId: string
      readonly name: string
      readonly text: string
      readonly isError: boolean
      /** The result was cut; what is there may be a part of it. [LIFE-14] */
      readonly isInterrupted: boolean
      readonly images: readonly ToldImage[]
      readonly key: string
    }
  | {
      readonly type: 'status'
      readonly toolUseId: string
      readonly name: string
      readonly stage: string
      readonly detail: string
      /** The fields that record a decision: `by`, `at`, `input_hash` and `edited`, as far as they are there. [APR-3] */
      readonly fields: JsonObject
    }
  | { readonly type: 'steered'; readonly text: string; readonly key: string }
  | {
      readonly type: 'awaiting'
      readonly what: 'results' | 'approvals'
      readonly calls: readonly ToldCall[]
    }
  | { readonly type: 'step_end'; readonly info: JsonObject }
  | {
      readonly type: 'rollback'
      readonly info: JsonObject
      /** The blocks that are void, in the order in which they began. */
      readonly voided: readonly ToldBlock[]
    }
  | { readonly type: 'files'; readonly files: readonly JsonObject[]; readonly key: string }
  | { readonly type: 'compaction'; readonly info: JsonObject }
  | { readonly type: 'error'; readonly info: JsonObject }
  | { readonly type: 'summary'; readonly info: JsonObject }
  /** The agent has ended or waits; `isRoot` tells whether this is the end of the run or of a sub-agent. */
  | { readonly type: 'run_end'; readonly isRoot: boolean; readonly info: JsonObject }
  /** A type that this version does not know, or that stands for what is hidden. */
  | { readonly type: 'other'; readonly envelope: Envelope }
)

/** One kind of telling. */
export type TellingOf<Type extends Telling['type']> = Extract<Telling, { readonly type: Type }>
