import { loadPeer } from '../../errors/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonOr,
} from '../../json/index.ts'
import { checkRequests } from '../stream/index.ts'
import { readProviderError } from './reader/stream-failure.ts'

/** The required members of a client of the official SDK, or of its Azure or Bedrock variants. */
export interface ChatClient {
  readonly baseURL?: string
  readonly chat: {
    readonly completions: {
      create(body: object, options?: object): { asResponse(): Promise<Response> }
    }
  }
}

interface ChatClientOptions {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly fetch: typeof globalThis.fetch | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Placeholder key. Local servers need none, but the SDK requires one. */
const NO_KEY = 'none'

/** Creates a client of the official SDK. The SDK is loaded on demand, as an optional dependency. */
export async function createChatClient(options: ChatClientOptions): Promise<ChatClient> {
  const { OpenAI: Client } = await loadPeer(
    'openai',
    'A model without a `client`',
    () => import('openai'),
  )
  const { apiKey, baseURL, headers, fetch = globalThis.fetch } = options
  const settings = { baseURL, defaultHeaders: headers, fetch: explainErrors(checkRequests(fetch)) }
  try {
    return new Client({ ...settings, apiKey })
  } catch (error) {
    if (apiKey !== undefined || baseURL === undefined) throw error
    return new Client({ ...settings, apiKey: NO_KEY })
  }
}

/**
 * Converts error bodies for the SDK. It reads `{"error": {…}}` only, but Gemini sends a list, FastAPI `detail`, and
 * others a bare `message`. Marks an exhausted quota as permanent, because no retry helps.
 */
function explainErrors(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok) return response
    const answer = await response.text()
    const body = parseJsonOr(answer, answer)
    const { status, statusText } = response
    const headers = new Headers(response.headers)
    // These headers describe the original body.
    for (const name of ['content-length', 'content-encoding']) headers.delete(name)
    if (status === 429 && readProviderError(errorIn(body)).isPermanent) {
      headers.set('x-should-retry', 'false')
    }
    const text = typeof body === 'string' ? body : JSON.stringify({ error: errorIn(body) })
    return new Response(text, { status, statusText, headers })
  }
}

function errorIn(body: JsonValue): JsonValue {
  if (isJsonArray(body)) return errorIn(body[0] ?? {})
  if (!isJsonObject(body)) return body
  const { error, detail } = body
  if (isJsonObject(error)) return error
  if (typeof error === 'string') return { ...without(body, 'error'), message: error }
  if (detail !== undefined) return { ...body, message: toText(detail) }
  return body
}

function without(body: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
