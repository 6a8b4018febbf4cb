import { MillraceError } from '../../errors/index.ts'
import { inTime } from '../timing.ts'

/** Limits for reading a body. */
export interface ReadBodyOptions {
  readonly maxBytes: number
  /** Maximum wait for the next chunk. */
  readonly idleTimeoutMs: number
  /** Maximum duration of the body. */
  readonly timeoutMs: number
}

/** Reads the body of a request in chunks, within limits. */
export async function* readBody(
  request: Request,
  options: ReadBodyOptions,
): AsyncGenerator<Uint8Array> {
  const { maxBytes } = options
  checkEncoding(request)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return
  let bytes = 0
  for await (const chunk of readChunks(request.body, options)) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

/** Rejects compressed bodies, whose size is unknown until they are unpacked. */
function checkEncoding({ headers }: Request): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() === 'identity') return
  throw new MillraceError(
    'unsupported_media_type',
    'Compressed bodies are not supported; send the body without `content-encoding`.',
  )
}

/** Reads until the end; reports failures and timeouts of the connection. */
async function* readChunks(
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
    // Not awaited, because the sender may never notice.
    reader.cancel().catch(() => {})
  }
}

function connectionLost(cause: unknown): MillraceError {
  return new MillraceError(
    'connection_lost',
    'The connection failed before the body was complete; send the request again.',
    { cause },
  )
}

function tooSlow(idleTimeoutMs: number, timeoutMs: number): MillraceError {
  return new MillraceError(
    'request_timeout',
    `The body arrived too slowly: the server waits ${idleTimeoutMs} ms for each chunk and ${timeoutMs} ms in total; send the request again, or a smaller one.`,
  )
}

function tooLarge(maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The body exceeds the limit of ${maxBytes} bytes; send a smaller one.`,
    { details: { max_bytes: maxBytes } },
  )
}
