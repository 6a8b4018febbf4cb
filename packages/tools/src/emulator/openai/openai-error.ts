import type { JsonObject } from 'millrace'
import { type ApiError, type ApiErrorType, errorTypeOf } from '../routes/api-error.ts'

/** An error of chat completions. */
export interface ChatError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
}

/** Errors of chat completions, by error type of the Messages API. */
const chatErrors: Readonly<Record<ApiErrorType, Omit<ChatError, 'message' | 'param'>>> = {
  invalid_request_error: { status: 400, type: 'invalid_request_error', code: null },
  authentication_error: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  billing_error: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  permission_error: { status: 403, type: 'invalid_request_error', code: null },
  not_found_error: { status: 404, type: 'invalid_request_error', code: 'not_found' },
  conflict_error: { status: 409, type: 'invalid_request_error', code: null },
  request_too_large: { status: 413, type: 'invalid_request_error', code: null },
  rate_limit_error: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  api_error: { status: 500, type: 'server_error', code: null },
  timeout_error: { status: 504, type: 'server_error', code: 'timeout' },
  overloaded_error: { status: 503, type: 'server_error', code: 'overloaded' },
}

/** Converts an error of a script to an error of chat completions. */
export function toChatError({ type, message }: Pick<ApiError, 'type' | 'message'>): ChatError {
  return { ...chatErrors[type], message, param: null }
}

/** Returns the error of an HTTP status. */
export function chatErrorOf(status: number, message: string): ChatError {
  return { ...toChatError({ type: errorTypeOf(status), message }), status }
}

/** Creates the body that reports an error, or the frame that reports it in a stream. */
export function toChatErrorBody({ message, type, param, code }: ChatError): JsonObject {
  return { error: { message, type, param, code } }
}

/** Creates the response for an error that occurs before any stream. */
export function toChatErrorResponse(
  error: ChatError,
  headers: Readonly<Record<string, string>>,
): Response {
  return Response.json(toChatErrorBody(error), { status: error.status, headers })
}
