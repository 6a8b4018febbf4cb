import type { ErrorCode } from '../../errors/index.ts'

/** The status of each code that clients can cause; other codes are internal errors. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  bad_request: 400,
  conflict: 409,
  connection_lost: 400,
  cursor_ahead: 409,
  cursor_malformed: 400,
  cursor_trimmed: 410,
  forbidden: 403,
  lease_lost: 409,
  method_not_allowed: 405,
  not_found: 404,
  overloaded: 503,
  log_replaced: 410,
  log_truncated: 410,
  payload_too_large: 413,
  request_timeout: 408,
  store_unavailable: 503,
  too_many_requests: 429,
  unauthorized: 401,
  unsupported: 400,
  unsupported_media_type: 415,
}

/** Returns the HTTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  return statuses[code] ?? 500
}
