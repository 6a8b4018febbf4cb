import type { Store } from '../../stores/port/index.ts'

/** Where a session keeps the key of its image ids; no route gives it out. */
export const imageKeyId = 'key_images'

/** Hexadecimal digits in the id of an image. */
const idDigits = 32

/** An image as it is stored. */
export interface StoredImage {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Names an image of a session. */
export type NameImage = (image: StoredImage) => Promise<string>

/**
 * Creates the names of a session's images: the same image has the same id within the session, and without the
 * session's key nobody can tell from an id what is in the image, or guess the id of an image that they know.
 */
export function createImageNames(store: Store, session: string): NameImage {
  let key: Promise<CryptoKey> | undefined
  return async ({ mediaType, bytes }) => {
    key ??= openKey(store, session).catch((error: unknown) => {
      key = undefined // a store may be back for the next image
      throw error
    })
    const type = new TextEncoder().encode(`${mediaType}\n`)
    const whole = new Uint8Array(type.length + bytes.length)
    whole.set(type)
    whole.set(bytes, type.length)
    const mark = new Uint8Array(await crypto.subtle.sign('HMAC', await key, whole))
    const digits = Array.from(mark, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return `img_${digits.slice(0, idDigits)}`
  }
}

async function openKey(store: Store, session: string): Promise<CryptoKey> {
  const known = await store.file(session, imageKeyId)
  const bytes = new Uint8Array(known?.bytes ?? crypto.getRandomValues(new Uint8Array(32)))
  if (known === undefined) {
    const mediaType = 'application/octet-stream'
    await store.putFile(session, { id: imageKeyId, mediaType, bytes })
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}
