import type { JsonObject } from '../json/index.ts'

/** The status of each type of error. */
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

/** A type of error that the Messages API reports. */
export type ApiErrorType = keyof typeof apiErrorStatuses

/** An error as it stands in a body or in an `error` event. */
export interface ApiError {
  readonly type: ApiErrorType
  readonly message: string
  /** What tells causes of one type apart: `error_code`. */
  readonly details?: JsonObject
}

/** The type of error that a status stands for. */
export function errorTypeOf(status: number): ApiErrorType {
  const entries = Object.entries(apiErrorStatuses) as [ApiErrorType, number][]
  const found = entries.find(([, known]) => known === status)
  return found?.[0] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

/** Tells whether a text names a type of error. */
export function isErrorType(text: string): text is ApiErrorType {
  return Object.hasOwn(apiErrorStatuses, text)
}

/** How an error is reported. */
export interface ErrorResponseOptions {
  readonly requestId: string
  /** Default: the one that belongs to the type. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The response that reports an error before any stream. */
export function toErrorResponse(
  error: ApiError,
  { requestId, status = apiErrorStatuses[error.type], headers = {} }: ErrorResponseOptions,
): Response {
  const body = { type: 'error', error: { ...error }, request_id: requestId }
  return Response.json(body, { status, headers: { 'request-id': requestId, ...headers } })
}
