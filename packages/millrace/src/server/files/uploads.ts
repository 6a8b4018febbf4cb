import { MillraceError } from '../../errors/index.ts'
import type { ContentBlock, Prompt } from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { Store, StoredFile } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { toFileBlock } from './file-blocks.ts'
import { findMedia } from './media-kind.ts'
import { nameBlock, storeBlockAs } from './stored-blocks.ts'
import type { SentFile } from './take-files.ts'

/** Unlike any id that a provider gives to its files, so that a prompt can name either. */
const uploadPrefix = 'upload_'

/** Keeps files that were sent for a session, under new ids. */
export async function keepUploads(
  store: Store,
  session: string,
  files: readonly SentFile[],
): Promise<readonly StoredFile[]> {
  const stored = files.map(({ mediaType, filename, bytes }) => ({
    id: `${uploadPrefix}${crypto.randomUUID().replaceAll('-', '')}`,
    mediaType,
    filename,
    bytes,
  }))
  for (const file of stored) await mapStoreErrors(store.putFile(session, file))
  return stored
}

/** What resolving a prompt reads, and how much of it. */
export interface ResolveOptions {
  readonly store: Store
  /** Undefined for a prompt that begins a session, which has no files yet. */
  readonly session: string | undefined
  readonly maxBytes: number
}

/** Puts files into a prompt that names them by the ids of `POST /agent/upload`. */
export async function resolveUploads(prompt: Prompt, options: ResolveOptions): Promise<Prompt> {
  if (typeof prompt === 'string' || !prompt.some(uploadIn)) return prompt
  const blocks: ContentBlock[] = []
  let bytes = 0
  for (const block of prompt) {
    const id = uploadIn(block)
    const file = id === undefined ? undefined : await findUpload(id, options)
    bytes += file?.bytes.length ?? 0
    if (bytes > options.maxBytes) throw tooLarge(options.maxBytes)
    blocks.push(file === undefined ? block : resolve(block, file))
  }
  return blocks
}

function resolve(block: ContentBlock, file: StoredFile): ContentBlock {
  const resolved = toResolvedBlock(block, file)
  if (resolved === undefined) throw wrongKind(file, block.type)
  return resolved
}

/** The id of the upload that a block names, if it does. */
export function uploadIn({ source }: ContentBlock): string | undefined {
  const id = isJsonObject(source) && source['type'] === 'file' ? source['file_id'] : undefined
  return typeof id === 'string' && id.startsWith(uploadPrefix) ? id : undefined
}

async function findUpload(id: string, { store, session }: ResolveOptions): Promise<StoredFile> {
  const file = session === undefined ? undefined : await mapStoreErrors(store.file(session, id))
  if (file !== undefined) return file
  throw new MillraceError(
    'not_found',
    `This session has no file ${JSON.stringify(id.slice(0, 80))}; send it with POST /agent/upload, and the same agent_uuid as the prompt.`,
  )
}

/**
 * Puts a file into the block that names it; undefined if it is of another kind. What else the block says of the file
 * stays, such as its title.
 */
export function toResolvedBlock(
  reference: ContentBlock,
  { bytes, filename = 'file' }: StoredFile,
): ContentBlock | undefined {
  const { type, source: _, ...rest } = reference
  const media = findMedia(bytes)
  const block = media && toFileBlock({ ...media, filename, bytes })
  if (block?.type !== type) return undefined
  const resolved = { ...block, ...rest }
  storeBlockAs(resolved, reference)
  nameBlock(resolved, filename)
  return resolved
}

function wrongKind({ id, mediaType, bytes }: StoredFile, type: string): MillraceError {
  const right = findMedia(bytes)?.kind === 'image' ? 'image' : 'document'
  return new MillraceError(
    'bad_request',
    `The file ${id} is ${mediaType}, which cannot be sent as \`${type}\`; use \`${right}\`.`,
  )
}

function tooLarge(maxBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The files of this prompt are larger than ${maxBytes} bytes together, which is all this server takes; name fewer.`,
    { details: { max_bytes: maxBytes } },
  )
}
