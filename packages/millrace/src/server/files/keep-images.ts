import type { ImageUrl } from '../../exit/index.ts'
import type { ToolResult } from '../../events/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { decodeBase64 } from './base64.ts'
import { createImageNames, type NameImage, type StoredImage } from './image-ids.ts'

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
  const nameOf = createImageNames(options.store, session)
  /** Addresses of the images of the latest result, by their data. */
  const urls = new Map<string, string>()

  const keepOne = async (src: string): Promise<void> => {
    const image = decodeDataUri(src)
    if (image === undefined) return
    try {
      urls.set(src, `/agent/${session}/images/${await keepOnce(options, nameOf, image)}`)
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

function decodeDataUri(uri: string): StoredImage | undefined {
  const head = /^data:([^;,]{1,128});base64,/.exec(uri)
  if (head === null) return undefined
  const bytes = decodeBase64(uri.slice(head[0].length))
  return bytes && { mediaType: head[1] ?? '', bytes }
}

/** Stores an image unless the session has it already; gives its id. */
async function keepOnce(
  { store, session }: ImageKeeperOptions,
  nameOf: NameImage,
  image: StoredImage,
): Promise<string> {
  const id = await nameOf(image)
  if ((await store.file(session, id)) === undefined) await store.putFile(session, { id, ...image })
  return id
}
