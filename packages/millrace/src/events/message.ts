import type { JsonObject, JsonValue } from '../json/index.ts'

/** One block of a message, in the format of the Messages API, stored unchanged. */
export interface ContentBlock extends JsonObject {
  readonly type: string
}

/** One message of a conversation, as sent to a model. */
export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
}

/** Input of a user: plain text, or blocks with images and documents. */
export type Prompt = string | readonly ContentBlock[]

/** Tokens of a model call or a run, by the provider's field names. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly [field: string]: JsonValue | undefined
}

/** A usage of zero. */
export const noUsage: Usage = { input_tokens: 0, output_tokens: 0 }
