import type { JsonObject, JsonValue } from '../json/index.ts'

/** One block of a message, in the shape of the Messages API and kept byte for byte. */
export interface ContentBlock extends JsonObject {
  readonly type: string
}

/** One message of a conversation as it is sent to a model. */
export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
}

/** What a person sends: plain text, or blocks with images and documents. */
export type Prompt = string | readonly ContentBlock[]

/** Tokens of one model call or of a whole run, by the provider's own field names. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly [field: string]: JsonValue | undefined
}

/** The usage of what has not been answered yet. */
export const noUsage: Usage = { input_tokens: 0, output_tokens: 0 }
