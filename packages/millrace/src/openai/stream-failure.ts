import type { ModelFailure } from '../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { type FailureRules, isPassingStatus, type ToldError } from '../model-stream/index.ts'

/** Types and codes of errors that no retry removes, although their status says otherwise. */
const lasting = /insufficient_quota|billing/i

/** Types and codes of errors that would have been refusals, had they not come in a stream that had begun. */
const refusing =
  /invalid|bad_?request|authentication|permission|not_?found|context_length|content_policy/i

/** The error in a chunk, wherever its server puts it; undefined if there is none. */
export function findError(chunk: JsonObject, choice: JsonObject | undefined) {
  const { error, object, type, detail, choices, x_groq: groq } = chunk
  if (isTold(error)) return error
  if (isTold(choice?.['error'])) return choice['error']
  if (isJsonObject(groq) && isTold(groq['error'])) return groq['error']
  if (object === 'error' || type === 'error') return chunk
  return choices === undefined && isTold(detail) ? detail : undefined
}

/** The failure that an error in the stream reports. */
export function toStreamFailure(error: JsonValue): ModelFailure {
  const { type, message, isLasting } = readToldError(error)
  const status = statusOf(error)
  const mayPass = status === undefined ? !hasWord(error, refusing) : isPassingStatus(status)
  return {
    type,
    message,
    retriable: mayPass && !isLasting,
    ...(status === undefined ? {} : { status }),
  }
}

/** How errors before the stream are read. */
export const failureRules: FailureRules = {
  readError({ error, message }) {
    // The SDK keeps what stood under `error` in a body of JSON, and any other body as the message.
    const told = isTold(error as JsonValue | undefined) ? (error as JsonValue) : message
    return readToldError(told, 'http_error')
  },
  noKey: {
    pattern: /^Missing credentials|OPENAI_API_KEY/,
    message: 'There is no key for the model’s API; set OPENAI_API_KEY or pass `apiKey`.',
  },
}

/** What an error says: an object as OpenAI sends it, a plain text, or a page of a proxy. */
export function readToldError(error: JsonValue, otherType = 'api_error'): ToldError {
  const fields = isJsonObject(error) ? error : {}
  const { type, code, message } = fields
  const told = textOf(message) ?? textOf(error) ?? textOf(fields['error']) ?? JSON.stringify(error)
  return {
    type: textOf(type) ?? textOf(code) ?? textOf(fields['status']) ?? otherType,
    message: toMessage(told, fields['metadata']),
    isLasting: hasWord(error, lasting),
  }
}

function hasWord(error: JsonValue, pattern: RegExp): boolean {
  if (!isJsonObject(error)) return false
  return [error['type'], error['code']].some((word) => pattern.test(textOf(word) ?? ''))
}

/** OpenRouter hides what the provider behind it said in `metadata`. */
function toMessage(told: string, metadata: JsonValue | undefined): string {
  const raw = isJsonObject(metadata) ? textOf(metadata['raw']) : undefined
  return raw === undefined ? told : `${told}: ${raw}`
}

/** A numeric code is the status that the response would have had. */
function statusOf(error: JsonValue): number | undefined {
  if (!isJsonObject(error)) return undefined
  const status = [error['status'], error['code']].map(Number).find((value) => value >= 400)
  return status !== undefined && Number.isInteger(status) && status < 600 ? status : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isTold(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== false && value !== ''
}
