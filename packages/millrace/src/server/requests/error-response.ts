import { isMillraceError, MillraceError } from '../../errors/index.ts'
import { statusOf } from './error-status.ts'

/** Headers required by a status: authentication, closing, and the seconds before a retry. */
const statusHeaders: Readonly<Record<number, readonly [string, string]>> = {
  401: ['www-authenticate', 'Bearer realm="millrace"'],
  // Data still arriving on the connection is not a new request.
  408: ['connection', 'close'],
  429: ['retry-after', '5'],
  503: ['retry-after', '1'],
}

/** Creates the response for an error. Details of internal errors are only reported. */
export function toErrorResponse(error: unknown, onError: (error: unknown) => void): Response {
  const status = isMillraceError(error) ? statusOf(error.code) : 500
  if (status === 500 || isStoreFailure(error)) onError(error)
  const { code, message, details } = status === 500 || !isMillraceError(error) ? hidden() : error
  const body = JSON.stringify({ error: { code, message, ...details } })
  const headers = new Headers({ 'content-type': 'application/json' })
  const extra = statusHeaders[status]
  if (extra !== undefined) headers.set(...extra)
  const { allow } = details
  if (status === 405 && typeof allow === 'string') headers.set('allow', allow)
  return new Response(body, { status, headers })
}

/** Store failures go to the client and, with their cause, to the log. */
function isStoreFailure(error: unknown): boolean {
  return isMillraceError(error) && error.code === 'store_unavailable'
}

function hidden(): MillraceError {
  return new MillraceError(
    'internal',
    'The server failed; see the log of the server for the cause, and try again.',
  )
}
