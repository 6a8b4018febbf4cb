import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk'

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

/** The failure that an `error` event in the stream reports. */
export function toStreamFailure(event: JsonObject): ModelFailure {
  const error = isJsonObject(event['error']) ? event['error'] : {}
  const type = textOr(error['type'], 'unknown_error')
  const message = textOr(error['message'], 'The model’s API reported an error without a message.')
  return { type, message, retriable: passingTypes.has(type) && !isLasting(event) }
}

/** The failure behind what the SDK threw instead of a response. */
export function toRequestFailure(error: unknown): ModelFailure {
  if (error instanceof APIConnectionTimeoutError) {
    return { type: 'timeout', message: 'The model’s API did not answer in time.', retriable: true }
  }
  if (error instanceof APIConnectionError) {
    const message = `The model’s API could not be reached: ${reasonOf(error)}`
    return { type: 'connection_lost', message, retriable: true }
  }
  if (isApiError(error)) return toStatusFailure(error)
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

function toStatusFailure(error: APIError): ModelFailure {
  const retryAfterMs = error.headers === undefined ? undefined : retryAfter(error.headers)
  return {
    type: error.type ?? 'http_error',
    message: error.apiMessage ?? error.message,
    retriable: isPassing(error),
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

function isApiError(error: unknown): error is APIError {
  return error instanceof APIError
}

function isPassing({ status = 0, headers, error }: APIError): boolean {
  if (isLasting(error)) return false
  const told = headers?.get('x-should-retry')
  if (told === 'true' || told === 'false') return told === 'true'
  return status >= 500 || passingStatuses.has(status)
}

function retryAfter(headers: Headers): number | undefined {
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
