import { MillraceError } from '../errors/index.ts'

/** How much of a body is read. */
export interface ReadJsonOptions {
  readonly maxBytes: number
  readonly maxDepth: number
}

/** Reads the JSON body of a request, and no more of it than allowed. */
export async function readJson(
  request: Request,
  { maxBytes, maxDepth }: ReadJsonOptions,
): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) throw notJson()
  const text = await readText(request, maxBytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new MillraceError('bad_request', 'The body is not valid JSON; send one JSON object.')
  }
  checkShape(value, maxDepth)
  return value
}

/** A page of another site cannot send this type without asking first, which is why it is required. */
function notJson(): MillraceError {
  return new MillraceError(
    'unsupported_media_type',
    'Send the body as JSON, with the header `content-type: application/json`.',
  )
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  // The stream is cancelled by the loop when it is left early.
  for await (const chunk of untilLost(request.body)) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  return parts.join('') + decoder.decode()
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

/** Refuses nesting that would exhaust the stack of whoever writes it out again, and keys that are traps. */
function checkShape(root: unknown, maxDepth: number): void {
  let level = [root].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw new MillraceError('bad_request', `The body is nested deeper than ${maxDepth} levels.`)
    }
    if (level.some((value) => Object.hasOwn(value, '__proto__'))) {
      throw new MillraceError('bad_request', 'The body has a key `__proto__`, which is refused.')
    }
    level = level.flatMap((value) => Object.values(value).filter(isContainer))
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
