import { MillraceError } from '../../errors/index.ts'
import type {
  AgentEvent,
  GeneratedFile,
  ImageUrl,
  RunInit,
  ToolResult,
} from '../../events/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { decodeBase64, fileOfBlock } from './stored-blocks.ts'

/** Storage for the images and files of events: stored before the frames that reference them. */
export interface RunMedia {
  /** Stores the media of an event and returns the event to record; synchronously if it has none. */
  keep(event: AgentEvent): AgentEvent | Promise<AgentEvent>
  readonly imageUrl: ImageUrl
}

/** Creates the media storage of a run. */
export function createRunMedia(options: ImageStorageOptions & FileStorageOptions): RunMedia {
  const images = createImageStorage(options)
  const keepFiles = createFileStorage(options)
  return {
    imageUrl: images.imageUrl,
    keep: (event) => {
      images.forget()
      if (event.type === 'run_start') return withPromptFiles(event)
      if (event.type === 'tool_result' && event.images.length > 0) {
        return images.keep(event).then(() => event)
      }
      if ((event.type === 'files' || event.type === 'run_end') && event.files.length > 0) {
        return keepFiles(event.files).then((files) => ({ ...event, files }))
      }
      return event
    },
  }
}

function withPromptFiles(event: RunInit): RunInit {
  const { prompt } = event
  if (typeof prompt === 'string') return event
  const promptFiles = prompt.flatMap((block, position) => {
    const file = fileOfBlock(block)
    return file === undefined ? [] : [{ block: position, ...file }]
  })
  return promptFiles.length === 0 ? event : { ...event, promptFiles }
}

/** Options for storing images of a session. */
interface ImageStorageOptions {
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

/** The file with the key of a session's image ids; no route serves it. */
export const imageKeyId = 'key_images'

/** Hexadecimal digits in an image id. */
const idDigits = 32

/** An image as it is stored. */
interface StoredImage {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Creates the id of an image. */
type NameImage = (image: StoredImage) => Promise<string>

/**
 * Creates the image ids of a session. Within a session, the same image has the same id. Without the session's key, the content cannot be
 * derived from an id, nor the id from a known image.
 */
function createImageNames(store: Store, session: string): NameImage {
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

/** A source of files made by the provider of a model, such as `anthropicFiles()`. */
export interface FileSource {
  read(
    fileId: string,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly filename: string; readonly mediaType: string; readonly bytes: Uint8Array }>
}

/** Options for storing files of a session. */
interface FileStorageOptions {
  readonly store: Store
  readonly session: string
  readonly source: FileSource | undefined
  readonly maxFileBytes: number
  /** Time limit for one file. */
  readonly fileTimeoutMs: number
  /** Whether the run still holds its lease; checked before each download. */
  readonly isHeld?: () => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** Copies files from their provider to the store and returns them with their locations. */
type StoreFiles = (files: readonly GeneratedFile[]) => Promise<readonly GeneratedFile[]>

/** Creates the file storage of one session. Files that the agent has stored stay there; files that cannot be stored have no location. */
export function createFileStorage(options: FileStorageOptions): StoreFiles {
  const { source, onError } = options
  const locations = new Map<string, GeneratedFile>()

  const storeFile = async (file: GeneratedFile): Promise<GeneratedFile> => {
    const known = locations.get(file.fileId)
    if (known !== undefined) return known
    if (source === undefined || file.storageLocation !== '' || !isFileId(file.fileId)) return file
    try {
      const stored = await findStored(options, file)
      if (stored === undefined && (await options.isHeld?.()) === false) return file
      const filename = stored ?? (await fetchFile(options, source, file))
      const storageLocation = `/agent/${options.session}/files/${file.fileId}`
      const located = { ...file, filename, storageLocation }
      locations.set(file.fileId, located)
      return located
    } catch (error) {
      onError(error)
      return file
    }
  }

  return (files) => Promise.all(files.map(storeFile))
}

async function findStored(
  { store, session }: FileStorageOptions,
  { fileId, filename }: GeneratedFile,
): Promise<string | undefined> {
  const stored = await store.file(session, fileId)
  return stored && (stored.filename ?? filename)
}

async function fetchFile(
  { store, session, maxFileBytes, fileTimeoutMs }: FileStorageOptions,
  source: FileSource,
  { fileId: id }: GeneratedFile,
): Promise<string> {
  const signal = AbortSignal.timeout(fileTimeoutMs)
  const { filename, mediaType, bytes } = await source.read(id, { signal })
  if (bytes.length > maxFileBytes) {
    throw new MillraceError(
      'payload_too_large',
      `The file ${id} was not stored: it has ${bytes.length} bytes, and limits.maxFileBytes is ${maxFileBytes}.`,
    )
  }
  await store.putFile(session, { id, filename, mediaType, bytes })
  return filename
}

/** Ids that are safe as one segment of a path. */
const filePattern = /^[A-Za-z0-9_-]{1,128}$/

/** Checks whether a file may be stored under an id. */
function isFileId(id: string): boolean {
  return filePattern.test(id)
}
