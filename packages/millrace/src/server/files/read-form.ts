import { badRequest, MillraceError } from '../../errors/index.ts'
import { readBody, type ReadBodyOptions } from '../requests/read-body.ts'

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
  if (boundary === undefined) throw notForm()
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
    if (parts > maxParts) throw tooManyParts(maxFiles)
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
    else throw givenTwice(name)
  }
  return Object.fromEntries(fields)
}

function notForm(): MillraceError {
  return new MillraceError(
    'unsupported_media_type',
    'Send the body as a form, with the header `content-type: multipart/form-data; boundary=…`.',
  )
}

function tooManyParts(maxFiles: number): MillraceError {
  return badRequest(
    `The form has too many parts: a request may have at most ${maxFiles} files; send several requests.`,
  )
}

function givenTwice(name: string): MillraceError {
  return badRequest(`The field ${JSON.stringify(name.slice(0, 80))} appears twice; send it once.`)
}
