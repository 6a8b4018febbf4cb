import type { ErrorCode } from '../errors/index.ts'

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Methods that no `Request` may have, whatever a handler would say to them. */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** Answers a request that no handler can be asked about; undefined if one can. */
export function refuseMethod(method: string): Response | undefined {
  if (!forbiddenMethods.has(method)) return undefined
  return refuse(405, 'method_not_allowed', `${method} is not taken here; use GET or POST.`)
}

/** Answers a request that could not be read, or whose answer failed. */
export function refuseRequest(error: unknown): Response {
  // The adapter's errors are known by their name only; their words are not for clients.
  const isUnreadable = error instanceof Error && error.name === 'RequestError'
  return isUnreadable
    ? refuse(400, 'bad_request', 'The host or the path of this request cannot be read; correct it.')
    : refuse(500, 'internal', 'The server failed; try again.')
}

function refuse(status: number, code: ErrorCode, message: string): Response {
  return Response.json({ error: { code, message } }, { status, headers })
}
