import type { ErrorCode } from '../../errors/index.ts'

/** Headers of each refusal: browsers neither cache it nor guess its type. */
export const refusalHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Methods that a `Request` cannot have. */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** Refuses a method that no handler can receive; undefined for other methods. */
export function refuseMethod(method: string): Response | undefined {
  if (!forbiddenMethods.has(method)) return undefined
  return refuse(
    405,
    'method_not_allowed',
    `The method ${method} is not supported; use GET or POST.`,
  )
}

/** Refuses a request with an invalid host or path. */
export function refuseTarget(): Response {
  return refuse(
    400,
    'bad_request',
    'The `host` header or the path of this request is invalid; correct it.',
  )
}

/** Refuses a request while all connections are in use. */
export function refuseConnection(): Response {
  const message = 'All connections of this server are in use; try again in a moment.'
  return refuse(503, 'overloaded', message, { 'retry-after': '1', connection: 'close' })
}

/** Responds to a request whose handler failed. */
export function refuseFailed(): Response {
  return refuse(
    500,
    'internal',
    'The server failed; see the log of the server for the cause, and try again.',
  )
}

function refuse(
  status: number,
  code: ErrorCode,
  message: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(
    { error: { code, message } },
    { status, headers: { ...refusalHeaders, ...more } },
  )
}
