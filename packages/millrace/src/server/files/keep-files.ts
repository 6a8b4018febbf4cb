import { MillraceError } from '../../errors/index.ts'
import type { MadeFile } from '../../events/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { isFileId } from './file-id.ts'

/** Gives the content of files that the provider of a model has made, such as `anthropicFiles()`. */
export interface FileSource {
  read(
    fileId: string,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly filename: string; readonly mediaType: string; readonly bytes: Uint8Array }>
}

/** Whose files are kept, from where, and how large they may be. */
export interface FileKeepingOptions {
  readonly store: Store
  readonly session: string
  readonly source: FileSource | undefined
  readonly maxFileBytes: number
  /** A file that takes longer is not waited for. */
  readonly fileTimeoutMs: number
  /** Whether the run may still fetch from a provider; asked before each file. */
  readonly isHeld?: () => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** Takes files from their provider into the store, and says where they are. */
export type KeepFiles = (files: readonly MadeFile[]) => Promise<readonly MadeFile[]>

/**
 * Builds what keeps the files of one session. Those that an agent has put somewhere itself stay there; those that
 * cannot be kept are told without a place.
 */
export function createKeepFiles(options: FileKeepingOptions): KeepFiles {
  const { source, onError } = options
  const kept = new Map<string, MadeFile>()

  const keep = async (file: MadeFile): Promise<MadeFile> => {
    const told = kept.get(file.fileId)
    if (told !== undefined) return told
    if (source === undefined || file.storageLocation !== '' || !isFileId(file.fileId)) return file
    try {
      const known = await findStored(options, file)
      if (known === undefined && (await options.isHeld?.()) === false) return file
      const filename = known ?? (await fetchFile(options, source, file))
      const storageLocation = `/agent/${options.session}/files/${file.fileId}`
      const stored = { ...file, filename, storageLocation }
      kept.set(file.fileId, stored)
      return stored
    } catch (error) {
      onError(error)
      return file
    }
  }

  return (files) => Promise.all(files.map(keep))
}

async function findStored(
  { store, session }: FileKeepingOptions,
  { fileId, filename }: MadeFile,
): Promise<string | undefined> {
  const stored = await store.file(session, fileId)
  return stored && (stored.filename ?? filename)
}

async function fetchFile(
  { store, session, maxFileBytes, fileTimeoutMs }: FileKeepingOptions,
  source: FileSource,
  { fileId: id }: MadeFile,
): Promise<string> {
  const signal = AbortSignal.timeout(fileTimeoutMs)
  const { filename, mediaType, bytes } = await source.read(id, { signal })
  if (bytes.length > maxFileBytes) {
    throw new MillraceError(
      'payload_too_large',
      `The file ${id} has ${bytes.length} bytes; it stays with its provider, because limits.maxFileBytes is ${maxFileBytes}.`,
    )
  }
  await store.putFile(session, { id, filename, mediaType, bytes })
  return filename
}
