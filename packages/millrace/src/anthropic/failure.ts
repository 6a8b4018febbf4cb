import type { ModelFailure } from '../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** Errors that pass: the same request may succeed a little later. */
const passingTypes: ReadonlySet<string> = new Set([
  'api_error',
  'overloaded_error',
  'rate_limit_error',
  'timeout_error',
])

const passingStatuses: ReadonlySet<number> = new Set([408, 409, 429])

/** Causes that no retry removes, although their type or status says otherwise. */
const lastingCodes: ReadonlySet<string> = new Set(['enforced_spend_limit_reached'])

/** How the SDK begins to say that it was given no key. */
const NO_KEY = 'Could not resolve authentication method'

/** The failure that an `error` event in the stream reports. */
export function toStreamFailure(event: JsonObject): ModelFailure {
  const error = isJsonObject(event['error']) ? event['error'] : {}
  const type = textOr(error['type'], 'unknown_error')
  const message = textOr(error['message'], 'The model’s API reported an error without a message.')
  return { type, message, retriable: passingTypes.has(type) && !isLasting(event) }
}

/**
 * The failure behind what the SDK threw instead of a response. Its errors are known by their shape and not by
 * their class: a client that was handed in may come from another copy or version of the SDK.
 */
export function toRequestFailure(error: unknown): ModelFailure {
  if (isNamed(error, 'APIConnectionTimeoutError')) {
    return { type: 'timeout', message: 'The model’s API did not answer in time.', retriable: true }
  }
  if (isNamed(error, 'APIConnectionError')) {
    const message = `The model’s API could not be reached: ${reasonOf(error)}`
    return { type: 'connection_lost', message, retriable: true }
  }
  if (isStatusError(error)) return toStatusFailure(error)
  if (reasonOf(error).startsWith(NO_KEY)) {
    const message = 'There is no key for the model’s API; set ANTHROPIC_API_KEY or pass `apiKey`.'
    return { type: 'authentication_error', message, retriable: false }
  }
  return { type: 'request_failed', message: reasonOf(error), retriable: false }
}

/** Tells whether an error body names a cause that no retry removes. */
export function isLasting(body: unknown): boolean {
  if (!isJsonObject(body) || !isJsonObject(body['error'])) return false
  const details = body['error']['details']
  return isJsonObject(details) && lastingCodes.has(textOr(details['error_code'], ''))
}

/** The innermost message of an error, which names the socket’s or resolver’s own reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}

/** What all versions of the SDK put on an error that stands for a response. */
interface StatusError extends Error {
  readonly status: number
  /** The body of the response, as far as it was JSON. */
  readonly error?: unknown
  readonly headers?: unknown
}

function isStatusError(error: unknown): error is StatusError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
}

/** Tells whether an error, or a class that it is built on, has this name. */
function isNamed(error: unknown, name: string): error is Error {
  if (!(error instanceof Error)) return false
  if (error.name === name) return true
  let prototype: unknown = Object.getPrototypeOf(error)
  while (prototype instanceof Error) {
    if (prototype.constructor.name === name) return true
    prototype = Object.getPrototypeOf(prototype)
  }
  return false
}

function toStatusFailure({
  status,
  message,
  error: body,
  headers: given,
}: StatusError): ModelFailure {
  const headers = isHeaders(given) ? given : new Headers()
  const told = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {}
  const retryAfterMs = retryAfter(headers)
  return {
    type: textOr(told['type'], 'http_error'),
    message: textOr(told['message'], message),
    retriable: !isLasting(body) && isPassing(status, headers),
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Older clients have a `Headers` class of their own. */
function isHeaders(value: unknown): value is Pick<Headers, 'get'> {
  return typeof value === 'object' && value !== null && 'get' in value
}

function isPassing(status: number, headers: Pick<Headers, 'get'>): boolean {
  const told = headers.get('x-should-retry')
  if (told === 'true' || told === 'false') return told === 'true'
  return status >= 500 || passingStatuses.has(status)
}

function retryAfter(headers: Pick<Headers, 'get'>): number | undefined {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (milliseconds >= 0) return milliseconds
  const value = headers.get('retry-after') ?? ''
  const seconds = Number.parseFloat(value)
  if (seconds >= 0) return seconds * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

function textOr(value: JsonValue | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}
