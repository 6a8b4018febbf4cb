import { type ErrorCode, isMillraceError, MillraceError } from '../../errors/index.ts'

/** The status of each code that a client may cause; any other is the server's own fault. */
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

/** Headers that a status asks for: how to prove who one is, what becomes of the connection, how many seconds to stay away. */
const statusHeaders: Readonly<Record<number, readonly [string, string]>> = {
  401: ['www-authenticate', 'Bearer realm="millrace"'],
  // What would still come on the connection is no new request.
  408: ['connection', 'close'],
  429: ['retry-after', '5'],
  503: ['retry-after', '1'],
}

/** The status that an error of this code is answered with. */
export function statusOf(code: ErrorCode): number {
  return statuses[code] ?? 500
}

/** Turns an error into a response; what was not written to be shown stays with the server. */
export function toErrorResponse(error: unknown, onError: (error: unknown) => void): Response {
  const status = isMillraceError(error) ? statusOf(error.code) : 500
  if (status === 500 || isStoreFailure(error)) onError(error)
  const { code, message, details } = status === 500 || !isMillraceError(error) ? hidden() : error
  const body = JSON.stringify({ error: { code, message, ...details } })
  const headers = new Headers({ 'content-type': 'application/json' })
  const asked = statusHeaders[status]
  if (asked !== undefined) headers.set(...asked)
  const { allow } = details
  if (status === 405 && typeof allow === 'string') headers.set('allow', allow)
  return new Response(body, { status, headers })
}

/** The client is told that it happened, the log also why. */
function isStoreFailure(error: unknown): boolean {
  return isMillraceError(error) && error.code === 'store_unavailable'
}

function hidden(): MillraceError {
  return new MillraceError('internal', 'The server failed; its log has the cause. Try again.')
}
