import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../errors/index.ts'
import { closeGently, type Connections, isClosing } from './connections.ts'

/** Headers of each refusal: browsers neither cache it nor guess its type. */
const refusalHeaders = {
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

type Answer = readonly [status: string, code: ErrorCode, message: string]

/** The responses to unreadable requests, by Node's error codes. */
const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'bad_request',
    'The headers of this request are too long; shorten them.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request_timeout',
    'The head of this request did not arrive in time; send it again.',
  ],
}
const malformed: Answer = [
  '400 Bad Request',
  'bad_request',
  'This is not a valid HTTP/1.1 request; correct it.',
]

/** Responds to an unreadable request and closes its connection without losing the response. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  connections: Connections,
): void {
  if (!(socket instanceof Socket)) return void socket.destroy(error)
  if (isClosing(socket)) return
  // The response would be written into the middle of an earlier one.
  if (!socket.writable || connections.isInUse(socket)) return void socket.destroy(error)
  const [status, code, message] = answers[error.code ?? ''] ?? malformed
  const body = JSON.stringify({ error: { code, message } })
  const headers = {
    ...refusalHeaders,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write([`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n'))
  closeGently(socket)
}
