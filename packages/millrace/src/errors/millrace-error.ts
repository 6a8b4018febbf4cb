/** Recognises errors across two copies of the package in one process, where `instanceof` fails. */
const brand: unique symbol = Symbol.for('millrace.error') as never

/** Facts about an error that are safe to show to the caller. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>

/** Options of a {@link MillraceError}. */
export interface MillraceErrorOptions {
  readonly details?: ErrorDetails
  readonly cause?: unknown
}

/** The error class of the library. `code` is for programs; `message` states the problem and the remedy. */
export class MillraceError extends Error {
  override readonly name = 'MillraceError'
  declare readonly code: ErrorCode
  declare readonly details: ErrorDetails
  readonly [brand] = true

  constructor(code: ErrorCode, message: string, options: MillraceErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.details = options.details ?? {}
  }
}

/** Creates the most frequent error, that of an invalid request or option. */
export function badRequest(message: string, options?: MillraceErrorOptions): MillraceError {
  return new MillraceError('bad_request', message, options)
}

/** Checks for a {@link MillraceError}, also one thrown by another copy of the library. */
export function isMillraceError(value: unknown): value is MillraceError {
  return typeof value === 'object' && value !== null && brand in value
}

/** All codes of a {@link MillraceError}, each with its meaning. The codes are part of the public contract: add rows, never rename one. */
export const errorCodes = {
  bad_request: 'The request is invalid.',
  conflict: 'The request conflicts with the stored state.',
  connection_lost: 'The network failed or the server closed the connection.',
  cursor_ahead: 'The cursor is after the last frame of the log.',
  cursor_malformed: 'The cursor is not a whole number.',
  cursor_trimmed: 'The cursor is before the first frame that is still stored.',
  envelope_malformed: 'A line of the stream is not a valid envelope.',
  envelope_unsplittable: 'The fields that every frame repeats leave no room for content.',
  forbidden: 'The caller lacks the permission, or its origin is not allowed.',
  format_invalid: 'A format of the segment parser is invalid.',
  frame_too_large: 'An unfinished frame exceeds the limit.',
  frames_missing: 'A frame does not follow the last one that was read.',
  internal: 'An internal error that the caller did not cause.',
  lease_lost: 'Another writer has taken over this run.',
  log_replaced: 'The log that was read has been replaced or deleted.',
  log_truncated: 'The store has lost frames of this session.',
  method_not_allowed: 'The path does not support this method.',
  model_failed: 'The model’s API rejected the request or failed.',
  model_interrupted: 'The model’s stream ended before its message did.',
  not_found: 'No object has this id.',
  overloaded: 'The server is at its limit; retry later.',
  payload_too_large: 'The request body is too large.',
  prompt_unsent: 'A prompt did not reach the server and was not sent again.',
  protocol_violation: 'A stream breaks a rule of the protocol.',
  recording_malformed: 'The file is not a recording, or it is damaged.',
  request_timeout: 'The request body did not arrive in time.',
  store_unavailable: 'The store cannot be read or written at the moment.',
  stream_truncated: 'A stream ended without [DONE].',
  too_many_requests: 'The caller has reached its limit of concurrent work.',
  unauthorized: 'The request lacks a valid token.',
  unsupported: 'The feature is not available here.',
  unsupported_media_type: 'The media type of the request body is not supported.',
} as const

/** The closed set of codes that {@link MillraceError} may carry. */
export type ErrorCode = keyof typeof errorCodes
