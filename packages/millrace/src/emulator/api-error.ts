/** The status of each type of error. */
const apiErrorStatuses = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
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
}

/** The response that reports an error before any stream. */
export function toErrorResponse({ type, message }: ApiError, requestId: string): Response {
  return Response.json(
    { type: 'error', error: { type, message }, request_id: requestId },
    { status: apiErrorStatuses[type], headers: { 'request-id': requestId } },
  )
}
