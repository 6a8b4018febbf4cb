import { badRequest, MillraceError } from '../../errors/index.ts'
import type { ContentBlock, Prompt } from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { Store, StoredFile } from '../../stores/port/index.ts'
import type { MessageKey } from '../commands/receipts.ts'
import { digestOf } from '../requests/message-key.ts'
import { nameBlock, storeBlockAs, toFileBlock } from './stored-blocks.ts'
import { findMedia, type SentFile } from './check-files.ts'
/** Distinguishes uploads from the files of providers. */
const uploadPrefix = 'upload_'

/** Files to store for the prompts of a session. */
export interface Upload {
  readonly files: readonly SentFile[]
  /** The owner of a session that is created for them. */
  readonly owner: string | null
  readonly key?: MessageKey | undefined
}

/** Stores uploaded files of a session under new ids, or under those of the request's key: a repeated request stores only missing files. */
export async function storeUploads(
  store: Store,
  session: string,
  { files, key }: Pick<Upload, 'files' | 'key'>,
): Promise<readonly StoredFile[]> {
  const known = key === undefined ? [] : await store.fileIds(session)
  const stored: StoredFile[] = []
  for (const [index, { mediaType, filename, bytes }] of files.entries()) {
    const file = { id: await createUploadId(session, key, index), mediaType, filename, bytes }
    if (!known.includes(file.id)) await store.putFile(session, file)
    stored.push(file)
  }
  return stored
}

async function createUploadId(
  session: string,
  key: MessageKey | undefined,
  index: number,
): Promise<string> {
  if (key === undefined) return `${uploadPrefix}${crypto.randomUUID().replaceAll('-', '')}`
  const digest = await digestOf([session, key.key, key.digest, index])
  return `${uploadPrefix}${digest.slice(0, 32)}`
}

interface ResolveOptions {
  readonly store: Store
  /** Undefined for a prompt that creates a session, which has no files yet. */
  readonly session: string | undefined
  readonly maxBytes: number
}

/** Replaces references to uploads (`POST /agent/upload`) in a prompt by their content. */
export async function resolveUploads(prompt: Prompt, options: ResolveOptions): Promise<Prompt> {
  if (typeof prompt === 'string' || !prompt.some(uploadIn)) return prompt
  const blocks: ContentBlock[] = []
  let bytes = 0
  for (const block of prompt) {
    const id = uploadIn(block)
    const file = id === undefined ? undefined : await findUpload(id, options)
    bytes += file?.bytes.length ?? 0
    if (bytes > options.maxBytes)
      throw new MillraceError(
        'payload_too_large',
        `The files of the prompt exceed the limit of ${options.maxBytes} bytes; reference fewer.`,
        { details: { max_bytes: options.maxBytes } },
      )
    blocks.push(file === undefined ? block : resolve(block, file))
  }
  return blocks
}

function resolve(block: ContentBlock, file: StoredFile): ContentBlock {
  const resolved = toResolvedBlock(block, file)
  if (resolved === undefined) throw wrongKind(file, block.type)
  return resolved
}

/** Returns the id of the upload that a block references, if it does. */
export function uploadIn({ source }: ContentBlock): string | undefined {
  const id = isJsonObject(source) && source['type'] === 'file' ? source['file_id'] : undefined
  return typeof id === 'string' && id.startsWith(uploadPrefix) ? id : undefined
}

async function findUpload(id: string, { store, session }: ResolveOptions): Promise<StoredFile> {
  const file = session === undefined ? undefined : await store.file(session, id)
  if (file !== undefined) return file
  throw new MillraceError(
    'not_found',
    `The session has no file ${JSON.stringify(id.slice(0, 80))}; upload it with POST /agent/upload and the agent_uuid of the prompt.`,
  )
}

/** Inserts a file into the block that references it, and keeps the other fields of the block. Undefined if the file has another kind. */
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
  return badRequest(
    `The file ${id} is ${mediaType}, which cannot be sent as \`${type}\`; use \`${right}\`.`,
  )
}
