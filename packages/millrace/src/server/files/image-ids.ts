import type { Store } from '../../stores/port/index.ts'

/** The file with the key of a session's image ids; no route serves it. */
export const imageKeyId = 'key_images'

/** Hexadecimal digits in an image id. */
const idDigits = 32

/** An image as it is stored. */
export interface StoredImage {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Creates the id of an image. */
export type NameImage = (image: StoredImage) => Promise<string>

/**
 * Creates the image ids of a session. Within a session, the same image has the same id. Without the session's key, the content cannot be
 * derived from an id, nor the id from a known image.
 */
export function createImageNames(store: Store, session: string): NameImage {
  let key: Promise<CryptoKey> | undefined
  return async ({ mediaType, bytes }) => {
    key ??= openKey(store, session).catch((error: unknown) => {
      key = undefined // the store may work again for the next image
      throw error
    })
    const type = new TextEncoder().encode(`${mediaType}\n`)
    const whole = new Uint8Array(type.length + bytes.length)
    whole.set(type)
    whole.set(bytes, type.length)
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await key, whole))
    const digits = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
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
