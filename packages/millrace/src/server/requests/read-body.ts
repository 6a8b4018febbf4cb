import { badRequest, MillraceError } from '../../errors/index.ts'
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
        throw new MillraceError(
          'connection_lost',
          'The connection failed before the body was complete; send the request again.',
          { cause },
        )
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

interface ReadJsonOptions extends ReadBodyOptions {
  readonly maxDepth: number
  /** Whether a request without body and type means an empty object. */
  readonly isOptional?: boolean
}

/** Reads the JSON body of a request, within limits. */
export async function readJson(request: Request, options: ReadJsonOptions): Promise<unknown> {
  const { maxDepth, isOptional = false } = options
  const type = request.headers.get('content-type')
  const isUntyped = isOptional && type === null
  if (!isUntyped && !/^application\/json\s*(;|$)/i.test(type ?? '')) throw notJson()
  const text = await readText(request, options)
  if (isUntyped && text !== '') throw notJson()
  if (isOptional && text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON; send one JSON object.')
  }
  checkShape(value, maxDepth)
  return value
}

/** Requires this type, because pages of other sites can only send it after a preflight. */
function notJson(): MillraceError {
  return new MillraceError(
    'unsupported_media_type',
    'Send the body as JSON, with the header `content-type: application/json`.',
  )
}

async function readText(request: Request, options: ReadBodyOptions): Promise<string> {
  const decode = createDecode()
  const parts: string[] = []
  for await (const chunk of readBody(request, options)) parts.push(decode(chunk))
  return parts.join('') + decode()
}

/** Decodes UTF-8 in chunks; call without a chunk at the end. */
function createDecode(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw badRequest('The body is not UTF-8; encode it as UTF-8.')
    }
  }
}

/** Rejects deep nesting, which could exhaust the stack, and keys for prototype pollution. */
function checkShape(root: unknown, maxDepth: number): void {
  let level = [root].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw badRequest(`The body is nested deeper than ${maxDepth} levels; reduce the nesting.`)
    }
    if (level.some(isTrap)) {
      throw badRequest(
        'The body has a key `__proto__`, or a `constructor` with a `prototype`, which are not allowed; remove it.',
      )
    }
    level = level.flatMap((value) => Object.values(value).filter(isContainer))
  }
}

/** Whether an object has keys that can change the prototype of other objects. */
function isTrap(value: object): boolean {
  if (Object.hasOwn(value, '__proto__')) return true
  if (!Object.hasOwn(value, 'constructor')) return false
  const { constructor } = value as { readonly constructor: unknown }
  return isContainer(constructor) && Object.hasOwn(constructor, 'prototype')
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

interface ReadFormOptions extends ReadBodyOptions {
  readonly maxFiles: number
  /** Bytes of all fields that are not files. */
  readonly maxFieldBytes: number
}

/** The fields of a form by name; repeatable fields are lists. */
type FormFields = Readonly<Record<string, string | File | readonly (string | File)[]>>

/** Maximum number of fields besides files. */
const maxFields = 32

/** Repeatable fields, by the names that clients use. */
const lists: ReadonlyMap<string, string> = new Map([
  ['files', 'files'],
  ['files[]', 'files'],
  ['urls', 'urls'],
  ['urls[]', 'urls'],
])

/** Reads a form with files within limits. Counts its parts before it parses them. */
export async function readForm(request: Request, options: ReadFormOptions): Promise<FormFields> {
  const type = request.headers.get('content-type') ?? ''
  const boundary = boundaryOf(type)
  if (boundary === undefined)
    throw new MillraceError(
      'unsupported_media_type',
      'Send the body as a form, with the header `content-type: multipart/form-data; boundary=…`.',
    )
  const bytes = await gather(request, options)
  checkParts(bytes, boundary, options.maxFiles)
  const data = await parse(bytes, type)
  checkFields(data, options.maxFieldBytes)
  return toFields(data)
}

/** Returns the boundary (RFC 2046: up to 70 characters, without line breaks). */
function boundaryOf(type: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(type)) return undefined
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(type) ?? []
  return quoted ?? plain
}

async function gather(
  request: Request,
  options: ReadBodyOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readBody(request, options)) {
    chunks.push(chunk)
    length += chunk.length
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Limits the number of parts: as objects, they cost far more than their bytes. */
function checkParts(bytes: Uint8Array, boundary: string, maxFiles: number): void {
  const maxParts = maxFiles + maxFields
  const mark = new TextEncoder().encode(`\n--${boundary}`)
  let parts = 0
  for (let at = bytes.indexOf(mark[0] ?? 0); at >= 0; at = bytes.indexOf(mark[0] ?? 0, at + 1)) {
    if (!mark.every((byte, index) => bytes[at + index] === byte)) continue
    parts++
    if (parts > maxParts)
      throw badRequest(
        `The form has too many parts: a request may have at most ${maxFiles} files; send several requests.`,
      )
  }
}

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    throw badRequest(
      'The body is not a complete form; send it as `multipart/form-data`, with the boundary given in the header.',
    )
  }
}

function checkFields(form: FormData, maxBytes: number): void {
  let length = 0
  for (const value of form.values()) length += typeof value === 'string' ? value.length : 0
  if (length <= maxBytes) return
  throw new MillraceError(
    'payload_too_large',
    `The text fields of the form exceed the limit of ${maxBytes} bytes; send long text as a file.`,
    { details: { max_bytes: maxBytes } },
  )
}

function toFields(form: FormData): FormFields {
  const fields = new Map<string, string | File | (string | File)[]>()
  for (const [name, value] of form) {
    const list = lists.get(name)
    const known = fields.get(list ?? name)
    if (list !== undefined) fields.set(list, [...(Array.isArray(known) ? known : []), value])
    else if (known === undefined) fields.set(name, value)
    else
      throw badRequest(
        `The field ${JSON.stringify(name.slice(0, 80))} appears twice; send it once.`,
      )
  }
  return Object.fromEntries(fields)
}
