import type { ModelFailure } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { type FailureRules, isTransientStatus, type ProviderError } from '../../stream/index.ts'

/** Types and codes of permanent errors, even if the status indicates otherwise. */
const permanentCodes = /insufficient_quota|billing/i

/** Types and codes of request errors that are reported in a started stream. */
const requestErrorCodes =
  /invalid|bad_?request|authentication|permission|not_?found|context_length|content_policy/i

/** Finds the error in a chunk, in the fields of all known servers. Returns undefined if there is none. */
export function findError(chunk: JsonObject, choice: JsonObject | undefined) {
  const { error, object, type, detail, choices, x_groq: groq } = chunk
  if (isPresent(error)) return error
  if (isPresent(choice?.['error'])) return choice['error']
  if (isJsonObject(groq) && isPresent(groq['error'])) return groq['error']
  if (object === 'error' || type === 'error') return chunk
  return choices === undefined && isPresent(detail) ? detail : undefined
}

/** Converts an error in the stream to a failure. */
export function toStreamFailure(error: JsonValue): ModelFailure {
  const { type, message, isPermanent } = readProviderError(error)
  const status = statusOf(error)
  const mayPass =
    status === undefined ? !matchesCode(error, requestErrorCodes) : isTransientStatus(status)
  return {
    type,
    message,
    retriable: mayPass && !isPermanent,
    ...(status === undefined ? {} : { status }),
  }
}

/** Rules of errors before the stream. */
export const failureRules: FailureRules = {
  readError({ error, message }) {
    // The SDK keeps the `error` member of a JSON body, and any other body as the message.
    const content = isPresent(error as JsonValue | undefined) ? (error as JsonValue) : message
    return readProviderError(content, 'http_error')
  },
  noKey: {
    pattern: /^Missing credentials|OPENAI_API_KEY/,
    message: 'There is no key for the model’s API; set OPENAI_API_KEY or pass `apiKey`.',
  },
}

/** Reads an error: an object in OpenAI's format, plain text, or a page of a proxy. */
export function readProviderError(error: JsonValue, otherType = 'api_error'): ProviderError {
  const fields = isJsonObject(error) ? error : {}
  const { type, code, message } = fields
  const text = textOf(message) ?? textOf(error) ?? textOf(fields['error']) ?? JSON.stringify(error)
  return {
    type: textOf(type) ?? textOf(code) ?? textOf(fields['status']) ?? otherType,
    message: toMessage(text, fields['metadata']),
    isPermanent: matchesCode(error, permanentCodes),
  }
}

function matchesCode(error: JsonValue, pattern: RegExp): boolean {
  if (!isJsonObject(error)) return false
  return [error['type'], error['code']].some((word) => pattern.test(textOf(word) ?? ''))
}

/** Appends the original provider's message, which OpenRouter sends in `metadata`. */
function toMessage(text: string, metadata: JsonValue | undefined): string {
  const raw = isJsonObject(metadata) ? textOf(metadata['raw']) : undefined
  return raw === undefined ? text : `${text}: ${raw}`
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

function isPresent(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== false && value !== ''
}
