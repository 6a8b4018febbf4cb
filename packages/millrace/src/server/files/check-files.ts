import { badRequest, MillraceError } from '../../errors/index.ts'
import type { StoredFile } from '../../stores/port/index.ts'
import type { HandlerLimits } from '../handler-options.ts'

/** A checked file from a client. */
export interface SentFile extends Media {
  readonly filename: string
  readonly bytes: Uint8Array
}

/** The limits of each kind of file. */
type FileLimits = Pick<
  Required<HandlerLimits>,
  'maxFiles' | 'maxImageBytes' | 'maxPdfBytes' | 'maxTextBytes'
>

const limitOf: Readonly<Record<Media['kind'], keyof FileLimits>> = {
  image: 'maxImageBytes',
  pdf: 'maxPdfBytes',
  text: 'maxTextBytes',
}

/** Types that are never text, with any content. */
const notText = /^(image|audio|video|font)\/|^application\/pdf$/i

/** Checks the content and size of files. */
export async function checkFiles(
  files: readonly File[],
  limits: FileLimits,
): Promise<readonly SentFile[]> {
  if (files.length > limits.maxFiles) {
    throw badRequest(
      `The request has ${files.length} files, more than the limit of ${limits.maxFiles}; send several requests.`,
    )
  }
  return Promise.all(files.map((file) => checkFile(file, limits)))
}

async function checkFile(file: File, limits: FileLimits): Promise<SentFile> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const filename = toSafeName(file.name) ?? 'file'
  const media = findMedia(bytes)
  if (bytes.length === 0) throw refused(filename, 'is empty')
  if (media === undefined || (media.kind === 'text' && notText.test(file.type))) {
    throw refused(filename, 'has an unsupported type')
  }
  const max = limits[limitOf[media.kind]]
  if (bytes.length > max)
    throw new MillraceError(
      'payload_too_large',
      `The file ${JSON.stringify(filename)} has ${bytes.length} bytes, more than the limit of ${max} for its kind; send a smaller one.`,
      { details: { max_bytes: max } },
    )
  return { ...media, filename, bytes }
}

function refused(filename: string, fault: string): MillraceError {
  return badRequest(
    `The file ${JSON.stringify(filename)} ${fault}; send PNG, JPEG, GIF or WebP images, PDF, or text in UTF-8.`,
  )
}

/** The kind of a file by its content, as far as models accept it. */
interface Media {
  readonly kind: 'image' | 'pdf' | 'text'
  readonly mediaType: string
}

/** First bytes of each type; a dot matches any byte. */
const signatures: readonly (readonly [string, Media])[] = [
  ['\x89PNG\r\n\x1a\n', { kind: 'image', mediaType: 'image/png' }],
  ['\xff\xd8\xff', { kind: 'image', mediaType: 'image/jpeg' }],
  ['GIF87a', { kind: 'image', mediaType: 'image/gif' }],
  ['GIF89a', { kind: 'image', mediaType: 'image/gif' }],
  ['RIFF....WEBP', { kind: 'image', mediaType: 'image/webp' }],
  ['%PDF-', { kind: 'pdf', mediaType: 'application/pdf' }],
]

const text: Media = { kind: 'text', mediaType: 'text/plain' }

/** Types that browsers may display inline: they cannot contain scripts. */
const shownTypes: ReadonlySet<string> = new Set(
  signatures.flatMap(([, { kind, mediaType }]) => (kind === 'image' ? [mediaType] : [])),
)

/** Checks whether a browser may display files of this type inline. */
function isShownType(mediaType: string): boolean {
  return shownTypes.has(mediaType)
}

/** Detects the kind of a file by its content; its name and declared type are ignored. Undefined if unknown. */
export function findMedia(bytes: Uint8Array): Media | undefined {
  const known = signatures.find(([signature]) => startsWith(bytes, signature))
  if (known !== undefined) return known[1]
  return isText(bytes) ? text : undefined
}

function startsWith(bytes: Uint8Array, signature: string): boolean {
  return Array.from(signature).every(
    (character, index) => character === '.' || bytes[index] === character.charCodeAt(0),
  )
}

/** Checks whether bytes are UTF-8 without NUL. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** A media type without parameters (RFC 9110). */
const typePattern = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/

/**
 * Creates a safe response for a file: only images are displayed inline, scripts cannot run, and the type is not sniffed. The
 * content of an id never changes, so browsers may cache it.
 */
export function toFileResponse({ id, mediaType, filename, bytes }: StoredFile): Response {
  const type = mediaType.toLowerCase()
  const name = toSafeName(filename ?? id) ?? id
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': typePattern.test(type) ? type : 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-disposition': isShownType(type) ? 'inline' : toAttachment(name),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  })
}

const maxCharacters = 120

/** Characters not allowed in names: controls, bidirectional marks, lone surrogates and separators. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

/** Creates a safe file name: no path, no invisible characters, limited length; undefined if nothing is left. */
export function toSafeName(name: string): string | undefined {
  const base =
    name
      .slice(-4 * maxCharacters)
      .split(/[/\\]/)
      .at(-1) ?? ''
  const clean = base.replace(unsafe, '').replace(/^[\s.]+|[\s.]+$/g, '')
  const characters = Array.from(clean)
  if (characters.length <= maxCharacters) return clean === '' ? undefined : clean
  // The end has the file extension.
  return characters
    .slice(-maxCharacters)
    .join('')
    .replace(/^[\s.]+/, '')
}

/** Creates a `content-disposition` header with the name in ASCII for old clients and in UTF-8 for others (RFC 6266, RFC 5987). */
export function toAttachment(name: string): string {
  const ascii = name.replace(/[^\w.-]/g, '_')
  const exact = encodeURIComponent(name).replace(
    /['()*!]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`
}
