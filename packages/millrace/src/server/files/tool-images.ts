import type { ImageUrl, ToolResult } from '../../events/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { decodeBase64 } from './base64.ts'
import { createImageNames, type NameImage, type StoredImage } from './image-ids.ts'

/** Options for storing images of a session. */
export interface ImageStorageOptions {
  readonly store: Store
  readonly session: string
  /** Images shorter than half of this stay in their frame. */
  readonly maxLineBytes: number
  readonly onError: (error: unknown) => void
}

/** Stores images of tool results, so that frames can reference them. [CHUNK-7] */
interface ImageStorage {
  /** Stores the images of a result before it is written. An image that cannot be stored is sent in chunks. */
  keep(result: ToolResult): Promise<void>
  /** Returns the URL of an image of the last stored result. */
  readonly imageUrl: ImageUrl
  /** Releases the last result, whose data may be large. */
  forget(): void
}

/** Creates the image storage of one session. */
export function createImageStorage(options: ImageStorageOptions): ImageStorage {
  const { session, maxLineBytes, onError } = options
  const nameOf = createImageNames(options.store, session)
  /** URLs of the images of the last result, by their data. */
  const urls = new Map<string, string>()

  const storeOne = async (src: string): Promise<void> => {
    const image = decodeDataUri(src)
    if (image === undefined) return
    try {
      urls.set(src, `/agent/${session}/images/${await storeOnce(options, nameOf, image)}`)
    } catch (error) {
      onError(error)
    }
  }

  return {
    keep: async ({ images }) => {
      for (const { src } of images) if (src.length > maxLineBytes / 2) await storeOne(src)
    },
    imageUrl: ({ src }) => urls.get(src) ?? src,
    forget: () => {
      // Clearing an empty map allocates a new table, and this runs for each event.
      if (urls.size > 0) urls.clear()
    },
  }
}

function decodeDataUri(uri: string): StoredImage | undefined {
  const head = /^data:([^;,]{1,128});base64,/.exec(uri)
  if (head === null) return undefined
  const bytes = decodeBase64(uri.slice(head[0].length))
  return bytes && { mediaType: head[1] ?? '', bytes }
}

/** Stores an image unless the session has it; returns its id. */
async function storeOnce(
  { store, session }: ImageStorageOptions,
  nameOf: NameImage,
  image: StoredImage,
): Promise<string> {
  const id = await nameOf(image)
  if ((await store.file(session, id)) === undefined) await store.putFile(session, { id, ...image })
  return id
}
