/** What a file is by its content, as far as models take it. */
export interface Media {
  readonly kind: 'image' | 'pdf' | 'text'
  readonly mediaType: string
}

/** How a type shows itself in its first bytes; a dot stands for any byte. */
const signatures: readonly (readonly [string, Media])[] = [
  ['\x89PNG\r\n\x1a\n', { kind: 'image', mediaType: 'image/png' }],
  ['\xff\xd8\xff', { kind: 'image', mediaType: 'image/jpeg' }],
  ['GIF87a', { kind: 'image', mediaType: 'image/gif' }],
  ['GIF89a', { kind: 'image', mediaType: 'image/gif' }],
  ['RIFF....WEBP', { kind: 'image', mediaType: 'image/webp' }],
  ['%PDF-', { kind: 'pdf', mediaType: 'application/pdf' }],
]

const text: Media = { kind: 'text', mediaType: 'text/plain' }

/** Types that browsers may show in place: they cannot hold scripts. */
const shownTypes: ReadonlySet<string> = new Set(
  signatures.flatMap(([, { kind, mediaType }]) => (kind === 'image' ? [mediaType] : [])),
)

/** Tells whether a browser may show a file of this type in place. */
export function isShownType(mediaType: string): boolean {
  return shownTypes.has(mediaType)
}

/** Finds out what a file is; whatever name and type it was sent under, its content counts. Undefined if nothing known. */
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

/** UTF-8 without the character that no text has. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
