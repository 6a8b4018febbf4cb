import type { JsonObject } from '../json/index.ts'
import type { Message } from './message.ts'
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

/**
 * A model, as a port. `stream` yields exactly one `message_end`, always last; it stops the request
 * when `signal` aborts or the reader stops reading.
 */
export interface Model {
  readonly id: string
  stream(
    request: ModelRequest,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<ModelEvent>
}
