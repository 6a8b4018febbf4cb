import type { JsonObject } from 'millrace'

/** HTTP status of each error type. */
const apiErrorStatuses = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
} as const

/** An error type of the Messages API. */
export type ApiErrorType = keyof typeof apiErrorStatuses

/** An error of a response body or of an `error` event. */
export interface ApiError {
  readonly type: ApiErrorType
  readonly message: string
  /** Further detail about the cause, such as `error_code`. */
  readonly details?: JsonObject
}

/** Returns the type of an error with a status. */
export function errorTypeOf(status: number): ApiErrorType {
  const entries = Object.entries(apiErrorStatuses) as [ApiErrorType, number][]
  const found = entries.find(([, known]) => known === status)
  return found?.[0] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

/** Checks for the name of an error type. */
export function isErrorType(text: string): text is ApiErrorType {
  return Object.hasOwn(apiErrorStatuses, text)
}

interface ErrorResponseOptions {
  readonly requestId: string
  /** Default: the status of the error type. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Creates the response for an error that occurs before any stream. */
export function toErrorResponse(
  error: ApiError,
  { requestId, status = apiErrorStatuses[error.type], headers = {} }: ErrorResponseOptions,
): Response {
  const body = { type: 'error', error: { ...error }, request_id: requestId }
  return Response.json(body, { status, headers: { 'request-id': requestId, ...headers } })
}

/** Creates the response headers for the request id, the organization and the rate limits. */
export function toApiHeaders(requestId: string, now: number): Record<string, string> {
  return {
    'request-id': requestId,
    'anthropic-organization-id': organizationId,
    ...rateLimitHeaders(now, false),
  }
}

const organizationId = '00000000-0000-4000-8000-000000000000'

/** Limits per minute. The emulator counts nothing, so the remaining amount is always the full limit. */
const limits = {
  requests: { limit: 4000, remaining: 3999 },
  tokens: { limit: 1_000_000, remaining: 999_000 },
  'input-tokens': { limit: 800_000, remaining: 799_000 },
  'output-tokens': { limit: 200_000, remaining: 200_000 },
}

/** Creates the rate limit headers; once a limit is reached, the remaining amount is 0. */
export function rateLimitHeaders(now: number, isReached: boolean): Record<string, string> {
  const reset = new Date(now + (isReached ? 60_000 : 0)).toISOString().replace(/\.\d+/, '')
  const rows = Object.entries(limits).flatMap(([name, { limit, remaining }]) => {
    const prefix = `anthropic-ratelimit-${name}`
    return [
      [`${prefix}-limit`, String(limit)],
      [`${prefix}-remaining`, String(isReached ? 0 : remaining)],
      [`${prefix}-reset`, reset],
    ] as const
  })
  return Object.fromEntries(rows)
}
