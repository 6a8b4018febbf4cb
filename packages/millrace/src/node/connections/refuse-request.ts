import type { ErrorCode } from '../../errors/index.ts'

/** The headers of each refusal: browsers keep it nowhere and take it for nothing else. */
export const refusalHeaders = {
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

/** Answers a request whose host or path cannot be read. */
export function refuseTarget(): Response {
  return refuse(
    400,
    'bad_request',
    'The `host` header or the path of this request cannot be read; correct it.',
  )
}

/** Answers a request while all connections are in use. */
export function refuseConnection(): Response {
  const message = 'All connections of this server are in use; try again in a moment.'
  return refuse(503, 'overloaded', message, { 'retry-after': '1', connection: 'close' })
}

/** Answers a request whose handler failed. */
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
