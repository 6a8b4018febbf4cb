import type { JsonObject } from '../json/index.ts'
import type { ContentBlock, Message } from './message.ts'
import type { ModelEvent } from './model-event.ts'

/** A tool as it is offered to a model. */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
}

/** A block after which the provider should cache: its message and its place there, from 0. */
export interface CacheMark {
  readonly message: number
  readonly block: number
}

/** What of a request the provider should cache; each mark stands for everything up to it. */
export interface CachePlan {
  readonly system?: boolean
  /** The tools of the request, without those that a model adds itself. */
  readonly tools?: boolean
  readonly blocks?: readonly CacheMark[]
}

/** One question to a model. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly system?: string
  readonly tools?: readonly ToolSchema[]
  readonly maxTokens: number
  /** `none` where the model is to answer without calling any of the tools. */
  readonly toolChoice?: 'none'
  /** The provider's container that earlier answers have worked in. */
  readonly container?: string
  /** For providers that cache what they are told to; others pay no attention to it. */
  readonly cache?: CachePlan
}

/** Resolves when a run may go on, or when its signal is aborted; gives nothing if it may at once. */
export type Permit = () => Promise<void> | undefined

/** The options of one call of a model. */
export interface ModelStreamOptions {
  readonly signal?: AbortSignal
  /**
   * Awaited right before each HTTP request of the call, retries included; a request whose `signal` is aborted by then is
   * not sent. The agent awaits it before the call as well, so a model may ignore it.
   */
  readonly permit?: Permit
}

/**
 * A model, as a port. `stream` yields exactly one `message_end`, always last; it stops the request
 * when `signal` aborts or the reader stops reading.
 */
export interface Model {
  readonly id: string
  stream(request: ModelRequest, options?: ModelStreamOptions): AsyncIterable<ModelEvent>
  /**
   * The request with which the model goes on from an answer of its own that was cut, given as far as it came; undefined
   * where it takes no beginning of its answer. A model without this takes none.
   */
  continueFrom?(request: ModelRequest, content: readonly ContentBlock[]): ModelRequest | undefined
}
