import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../errors/index.ts'
import { closeGently, isClosing } from './close-gently.ts'
import type { Connections } from './connections.ts'
import { refusalHeaders } from './refuse-request.ts'

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
