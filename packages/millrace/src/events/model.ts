import type { JsonObject } from '../json/index.ts'
import type { ContentBlock, Message } from './message.ts'
import type { ModelEvent } from './model-event.ts'

/** A tool definition for a model. */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
}

/** A block after which the provider caches: message index and block index, from 0. */
export interface CacheMark {
  readonly message: number
  readonly block: number
}

/** Cache marks of a request. Each mark covers everything before it. */
export interface CachePlan {
  readonly system?: boolean
  /** The tools of the request, without those that a model adds itself. */
  readonly tools?: boolean
  readonly blocks?: readonly CacheMark[]
}

/**
 * Whether the model may call tools: with `auto` it decides, `none` forbids calls, `required` demands a call, and a name demands a call of
 * that tool.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string }

/** A request to a model. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly system?: string
  readonly tools?: readonly ToolSchema[]
  readonly maxTokens: number
  /** Without it the model decides. A request without tools ignores it. */
  readonly toolChoice?: ToolChoice
  /** The provider's container of earlier answers. */
  readonly container?: string
  /** For providers with explicit caching; others ignore it. */
  readonly cache?: CachePlan
}

/** Resolves when a run may continue, or when its signal aborts. Returns undefined if the run may continue at once. */
export type Permit = () => Promise<void> | undefined

/** Options of a model call. */
export interface ModelStreamOptions {
  readonly signal?: AbortSignal
  /**
   * Awaited before each HTTP request of the call, retries included. A request whose `signal` is aborted by then is
   * not sent. The agent also awaits it before the call, so a model may ignore it.
   */
  readonly permit?: Permit
}

/**
 * The port of a model. `stream` yields exactly one `message_end`, always last. It cancels the request when `signal`
 * aborts or the consumer stops reading.
 */
export interface Model {
  readonly id: string
  stream(request: ModelRequest, options?: ModelStreamOptions): AsyncIterable<ModelEvent>
  /**
   * Creates the request that continues the model's interrupted answer. Returns undefined if the model does not accept
   * a prefilled answer. A model without this method accepts none.
   */
  continueFrom?(request: ModelRequest, content: readonly ContentBlock[]): ModelRequest | undefined
}
