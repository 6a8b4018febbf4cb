import type { ModelFailure } from '../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { type FailureRules, isPassingStatus, type ToldError } from '../model-stream/index.ts'

/** Types and codes of permanent errors, even if the status indicates otherwise. */
const lasting = /insufficient_quota|billing/i

/** Types and codes of request errors that are reported in a started stream. */
const refusing =
  /invalid|bad_?request|authentication|permission|not_?found|context_length|content_policy/i

/** Finds the error in a chunk, in the fields of all known servers. Returns undefined if there is none. */
export function findError(chunk: JsonObject, choice: JsonObject | undefined) {
  const { error, object, type, detail, choices, x_groq: groq } = chunk
  if (isTold(error)) return error
  if (isTold(choice?.['error'])) return choice['error']
  if (isJsonObject(groq) && isTold(groq['error'])) return groq['error']
  if (object === 'error' || type === 'error') return chunk
  return choices === undefined && isTold(detail) ? detail : undefined
}

/** Converts an error in the stream to a failure. */
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

/** Rules of errors before the stream. */
export const failureRules: FailureRules = {
  readError({ error, message }) {
    // The SDK keeps the `error` member of a JSON body, and any other body as the message.
    const told = isTold(error as JsonValue | undefined) ? (error as JsonValue) : message
    return readToldError(told, 'http_error')
  },
  noKey: {
    pattern: /^Missing credentials|OPENAI_API_KEY/,
    message: 'There is no key for the model’s API; set OPENAI_API_KEY or pass `apiKey`.',
  },
}

/** Reads an error: an object in OpenAI's format, plain text, or a page of a proxy. */
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

/** Appends the original provider's message, which OpenRouter sends in `metadata`. */
function toMessage(told: string, metadata: JsonValue | undefined): string {
  const raw = isJsonObject(metadata) ? textOf(metadata['raw']) : undefined
  return raw === undefined ? told : `${told}: ${raw}`
}

/** Returns the HTTP status of an error. A numeric code is a status. */
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
