import type { StoredFile } from '../../stores/port/index.ts'
import { toAttachment, toSafeName } from './file-name.ts'
import { isShownType } from './media-kind.ts'

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
