import { MillraceError } from '../../errors/index.ts'
import type { GeneratedFile } from '../../events/index.ts'
import type { Store } from '../../stores/port/index.ts'

/** A source of files made by the provider of a model, such as `anthropicFiles()`. */
export interface FileSource {
  read(
    fileId: string,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly filename: string; readonly mediaType: string; readonly bytes: Uint8Array }>
}

/** Options for storing files of a session. */
export interface FileStorageOptions {
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
