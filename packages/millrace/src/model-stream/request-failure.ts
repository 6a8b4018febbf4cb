import type { ModelFailure } from '../events/index.ts'
import type { JsonObject } from '../json/index.ts'
import { readProviderHeader } from '../outbound/index.ts'

/** What a provider's client throws in place of a response, as all versions of the official SDKs shape it. */
export interface StatusError extends Error {
  readonly status: number
  /** The body of the response, or the error in it, as far as it was JSON. */
  readonly error?: unknown
  readonly headers?: unknown
}

/** What a provider's error says of itself. */
export interface ToldError {
  readonly type: string
  readonly message: string
  /** No retry removes the cause, although the status says otherwise. */
  readonly isLasting: boolean
  /** What else it says, by the provider's own names. */
  readonly details?: JsonObject
}

/** What differs from provider to provider. */
export interface FailureRules {
  readError(error: StatusError): ToldError
  /** How the SDK says that it was given no key, and what to tell people instead. */
  readonly noKey: { readonly pattern: RegExp; readonly message: string }
}

const passingStatuses: ReadonlySet<number> = new Set([408, 409, 429])

/**
 * The failure behind what an SDK threw instead of a response. Its errors are known by their shape and not by
 * their class: a client that was handed in may come from another copy or version of the SDK.
 */
export function toRequestFailure(error: unknown, { readError, noKey }: FailureRules): ModelFailure {
  if (isNamed(error, 'APIConnectionTimeoutError')) {
    return { type: 'timeout', message: 'The model’s API did not answer in time.', retriable: true }
  }
  if (isNamed(error, 'APIConnectionError')) {
    const message = `The model’s API could not be reached: ${reasonOf(error)}`
    return { type: 'connection_lost', message, retriable: true }
  }
  if (isStatusError(error)) return toStatusFailure(error, readError(error))
  if (noKey.pattern.test(reasonOf(error))) {
    return { type: 'authentication_error', message: noKey.message, retriable: false }
  }
  return { type: 'request_failed', message: reasonOf(error), retriable: false }
}

/** Tells whether the same request may succeed a little later, by the status of its response. */
export function isPassingStatus(status: number): boolean {
  return status >= 500 || passingStatuses.has(status)
}

/** The innermost message of an error, which names the socket’s or resolver’s own reason. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
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

function toStatusFailure(
  { status, headers: given }: StatusError,
  { type, message, isLasting, details }: ToldError,
): ModelFailure {
  const headers = isHeaders(given) ? given : new Headers()
  const retryAfterMs = retryAfter(headers)
  const requestId = readProviderHeader(headers, 'requestId')
  return {
    type,
    message,
    retriable: !isLasting && isPassing(status, headers),
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId !== undefined && { requestId }),
    ...(details !== undefined && { details }),
  }
}

/** Older clients have a `Headers` class of their own. */
function isHeaders(value: unknown): value is Pick<Headers, 'get'> {
  return typeof value === 'object' && value !== null && 'get' in value
}

function isPassing(status: number, headers: Pick<Headers, 'get'>): boolean {
  const told = readProviderHeader(headers, 'shouldRetry')
  if (told === 'true' || told === 'false') return told === 'true'
  return isPassingStatus(status)
}

function retryAfter(headers: Pick<Headers, 'get'>): number | undefined {
  const milliseconds = Number.parseFloat(readProviderHeader(headers, 'retryAfterMs') ?? '')
  if (milliseconds >= 0) return milliseconds
  const value = readProviderHeader(headers, 'retryAfter') ?? ''
  const seconds = Number.parseFloat(value)
  if (seconds >= 0) return seconds * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
