import type { ImageUrl } from '../../exit/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { ToolResult } from '../../events/index.ts'
import type { Store } from '../../store/index.ts'
import { decodeBase64 } from './base64.ts'

/** Hexadecimal digits of the content's hash in the id of an image. */
const idDigits = 12

/** Whose images are kept, and where. */
export interface ImageKeeperOptions {
  readonly store: Store
  readonly session: string
  /** Images that take less than half a line travel in it. */
  readonly maxLineBytes: number
  readonly onError: (error: unknown) => void
}

/** Puts images of tools into the store, so that messages can name them. [CHUNK-7] */
export interface ImageKeeper {
  /** Stores the images of a result before it is written; one that cannot be stored travels in pieces. */
  keep(result: ToolResult): Promise<void>
  /** Where an image of the result kept last is. */
  readonly imageUrl: ImageUrl
  /** Lets go of that result, whose data may be large. */
  forget(): void
}

/** Builds a keeper for one session. */
export function createImageKeeper(options: ImageKeeperOptions): ImageKeeper {
  const { session, maxLineBytes, onError } = options
  /** Addresses of the images of the latest result, by their data. */
  const urls = new Map<string, string>()

  const keepOne = async (src: string): Promise<void> => {
    const image = decodeDataUri(src)
    if (image === undefined) return
    try {
      urls.set(src, `/agent/${session}/images/${await keepOnce(options, image)}`)
    } catch (error) {
      onError(error)
    }
  }

  return {
    keep: async ({ images }) => {
      for (const { src } of images) if (src.length > maxLineBytes / 2) await keepOne(src)
    },
    imageUrl: ({ src }) => urls.get(src) ?? src,
    forget: () => {
      // To clear even an empty map makes a new table, and this is asked for each event.
      if (urls.size > 0) urls.clear()
    },
  }
}

interface Image {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

function decodeDataUri(uri: string): Image | undefined {
  const head = /^data:([^;,]{1,128});base64,/.exec(uri)
  if (head === null) return undefined
  const bytes = decodeBase64(uri.slice(head[0].length))
  return bytes && { mediaType: head[1] ?? '', bytes }
}

/** Stores an image under a part of its hash, so that the same one is stored once; gives its id. */
async function keepOnce({ store, session }: ImageKeeperOptions, image: Image): Promise<string> {
  const hash = await toHash(image)
  // Two images may share a short id; each then gets another part of its hash.
  for (let at = 0; at + idDigits <= hash.length; at += idDigits) {
    const id = `img_${hash.slice(at, at + idDigits)}`
    const known = await store.file(session, id)
    if (known === undefined) await store.putFile(session, { id, ...image })
    if (known === undefined || isSame(known, image)) return id
  }
  throw new MillraceError('conflict', 'No id is left for an image; it is sent in pieces.')
}

async function toHash({ mediaType, bytes }: Image): Promise<string> {
  const type = new TextEncoder().encode(`${mediaType}\n`)
  const whole = new Uint8Array(type.length + bytes.length)
  whole.set(type)
  whole.set(bytes, type.length)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function isSame(one: Image, other: Image): boolean {
  if (one.mediaType !== other.mediaType || one.bytes.length !== other.bytes.length) return false
  return one.bytes.every((byte, index) => byte === other.bytes[index])
}
