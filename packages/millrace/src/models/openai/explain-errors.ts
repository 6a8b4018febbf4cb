import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { readProviderError } from './reader/stream-failure.ts'

/**
 * Converts error bodies for the SDK. It reads `{"error": {…}}` only, but Gemini sends a list, FastAPI `detail`, and
 * others a bare `message`. Marks an exhausted quota as permanent, because no retry helps.
 */
export function explainErrors(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok) return response
    const body = parse(await response.text())
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

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
