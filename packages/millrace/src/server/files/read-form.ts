import { MillraceError } from '../../errors/index.ts'
import { readBody, type ReadBodyOptions } from '../requests/read-body.ts'

/** How much of a form is read. */
export interface ReadFormOptions extends ReadBodyOptions {
  readonly maxFiles: number
  /** All that is not a file, together. */
  readonly maxFieldBytes: number
}

/** A form that was read: its fields by name, those that may come several times as lists. */
export type FormFields = Readonly<Record<string, string | File | readonly (string | File)[]>>

/** Fields beside files that a form may have. */
const maxFields = 32

/** Fields that may come several times, by the names that clients give them. */
const lists: ReadonlyMap<string, string> = new Map([
  ['files', 'files'],
  ['files[]', 'files'],
  ['urls', 'urls'],
  ['urls[]', 'urls'],
])

/** Reads a form with files, and no more of it than allowed; its parts are counted before they are taken apart. */
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

/** The boundary of RFC 2046: up to 70 characters, without line breaks. */
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

/** Each part costs far more than its bytes once it is an object. */
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
    throw new MillraceError(
      'bad_request',
      'The body is not a whole form; send it as `multipart/form-data`, with the boundary that its header names.',
    )
  }
}

function checkFields(form: FormData, maxBytes: number): void {
  let length = 0
  for (const value of form.values()) length += typeof value === 'string' ? value.length : 0
  if (length <= maxBytes) return
  throw new MillraceError(
    'payload_too_large',
    `The text of this form is longer than ${maxBytes} bytes, which is all this server takes; send long text as a file.`,
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
  return new MillraceError(
    'bad_request',
    `The form has more parts than the ${maxFiles} files that one request may hold; send them in several.`,
  )
}

function givenTwice(name: string): MillraceError {
  return new MillraceError(
    'bad_request',
    `The field ${JSON.stringify(name.slice(0, 80))} is given twice; send it once.`,
  )
}
