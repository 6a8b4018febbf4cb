import { isMillraceError } from '../../errors/index.ts'
import type { ModelFailure } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { readProviderHeader } from '../../outbound/index.ts'

/** The error that a provider's client throws for an error status. All versions of the official SDKs have this shape. */
interface StatusError extends Error {
  readonly status: number
  /** The response body, or the error in it, if it was JSON. */
  readonly error?: unknown
  readonly headers?: unknown
}

/** The content of a provider's error. */
export interface ProviderError {
  readonly type: string
  readonly message: string
  /** The cause is permanent, even if the status indicates otherwise. */
  readonly isPermanent: boolean
  /** Other fields, by the provider's names. */
  readonly details?: JsonObject
}

/** Provider-specific rules of failures. */
export interface FailureRules {
  readError(error: StatusError): ProviderError
  /** The SDK's message for a missing key, and its replacement. */
  readonly noKey: { readonly pattern: RegExp; readonly message: string }
}

const transientStatuses: ReadonlySet<number> = new Set([408, 409, 429])

/**
 * Converts an exception of an SDK, or one of ours, to a failure. Recognises errors by shape instead of class, because a custom client
 * may use another copy or version of the SDK.
 */
export function toRequestFailure(error: unknown, { readError, noKey }: FailureRules): ModelFailure {
  if (isMillraceError(error)) {
    return { type: error.code, message: error.message, retriable: false }
  }
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

/** Checks for a status after which the same request may succeed later. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || transientStatuses.has(status)
}

/** Returns the innermost message of an error: the reason of the socket or resolver. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}

function isStatusError(error: unknown): error is StatusError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
}

/** Checks whether an error or one of its base classes has this name. */
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
  { type, message, isPermanent, details }: ProviderError,
): ModelFailure {
  const headers = isHeaders(given) ? given : new Headers()
  const retryAfterMs = retryAfter(headers)
  const requestId = readProviderHeader(headers, 'requestId')
  return {
    type,
    message,
    retriable: !isPermanent && isTransient(status, headers),
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId !== undefined && { requestId }),
    ...(details !== undefined && { details }),
  }
}

/** Checks for a `Headers` object. Older clients have their own class. */
function isHeaders(value: unknown): value is Pick<Headers, 'get'> {
  return typeof value === 'object' && value !== null && 'get' in value
}

function isTransient(status: number, headers: Pick<Headers, 'get'>): boolean {
  const hint = readProviderHeader(headers, 'shouldRetry')
  if (hint === 'true' || hint === 'false') return hint === 'true'
  return isTransientStatus(status)
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
