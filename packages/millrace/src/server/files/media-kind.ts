/** The kind of a file by its content, as far as models accept it. */
export interface Media {
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
export function isShownType(mediaType: string): boolean {
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
