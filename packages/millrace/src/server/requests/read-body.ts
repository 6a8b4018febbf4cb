import { MillraceError } from '../../errors/index.ts'
import { inTime } from '../timing.ts'

/** How much of a body is read, and for how long it is waited for. */
export interface ReadBodyOptions {
  readonly maxBytes: number
  /** The longest wait for the next part. */
  readonly idleTimeoutMs: number
  /** The longest wait for all of it. */
  readonly timeoutMs: number
}

/** Gives the body of a request piece by piece, and no more of it than allowed. */
export async function* readBody(
  request: Request,
  options: ReadBodyOptions,
): AsyncGenerator<Uint8Array> {
  const { maxBytes } = options
  checkEncoding(request)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return
  let bytes = 0
  for await (const chunk of untilLost(request.body, options)) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

/** What is small when it is sent may be anything once it is unpacked. */
function checkEncoding({ headers }: Request): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() === 'identity') return
  throw new MillraceError(
    'unsupported_media_type',
    'Send the body as it is, without `content-encoding`; compressed bodies are not taken.',
  )
}

/** A body that breaks off, or does not come, is nobody's failure but the connection's. */
async function* untilLost(
  body: ReadableStream<Uint8Array>,
  { idleTimeoutMs, timeoutMs }: ReadBodyOptions,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const endsAt = performance.now() + timeoutMs
  try {
    for (;;) {
      const read = reader.read().catch((cause: unknown) => {
        throw connectionLost(cause)
      })
      const ms = Math.min(idleTimeoutMs, endsAt - performance.now())
      const { done, value } = await inTime(read, ms, () => tooSlow(idleTimeoutMs, timeoutMs))
      if (done) return
      yield value
    }
  } finally {
    // Not waited for: whoever sends may never learn of it.
    reader.cancel().catch(() => {})
  }
}

function connectionLost(cause: unknown): MillraceError {
  return new MillraceError(
    'connection_lost',
    'The connection was lost before the whole body had come; send it again.',
    { cause },
  )
}

function tooSlow(idleTimeoutMs: number, timeoutMs: number): MillraceError {
  return new MillraceError(
    'request_timeout',
    `The body did not come in time: this server waits ${idleTimeoutMs} ms for the next part of it, and ${timeoutMs} ms for all; send it again, or less at a time.`,
  )
}

function tooLarge(maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The body is larger than ${maxBytes} bytes, which is all this server takes; send less at a time.`,
    { details: { max_bytes: maxBytes } },
  )
}
