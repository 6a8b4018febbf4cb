import { MillraceError } from '../errors/index.ts'

/** Gives the body of a request piece by piece, and no more of it than allowed. */
export async function* readBody(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  checkEncoding(request)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return
  let bytes = 0
  // The stream is cancelled by the loop when it is left early.
  for await (const chunk of untilLost(request.body)) {
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

/** A body that breaks off is nobody's failure but the connection's. */
async function* untilLost(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await iterator.next().catch((cause: unknown) => {
        throw new MillraceError(
          'connection_lost',
          'The connection was lost before the whole body had come; send it again.',
          { cause },
        )
      })
      if (step.done === true) return
      yield step.value
    }
  } finally {
    await iterator.return?.()
  }
}

function tooLarge(maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The body is larger than ${maxBytes} bytes, which is all this server takes; send less at a time.`,
    { details: { max_bytes: maxBytes } },
  )
}
