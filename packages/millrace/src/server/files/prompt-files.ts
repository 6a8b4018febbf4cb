import type { ContentBlock, Prompt } from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { decodeBase64, nameOfBlock, storeBlockAs, toStoredBlock } from './stored-blocks.ts'
import { findMedia, type SentFile } from './check-files.ts'
import { storeUploads, toResolvedBlock, uploadIn } from './uploads.ts'

/** Shorter text stays in its prompt, where it costs less than a separate file. */
const MIN_TEXT_CHARS = 4_096

/** Stores the files of a prompt apart from the session's state, which then references them. */
export async function storePromptFiles(
  { store, session }: { readonly store: Store; readonly session: string },
  prompt: Prompt,
): Promise<void> {
  if (typeof prompt === 'string') return
  for (const block of prompt) {
    const file = toStoredBlock(block) === block ? toFile(block) : undefined
    if (file === undefined) continue
    const [kept] = await storeUploads(store, session, { files: [file] })
    if (kept !== undefined) storeBlockAs(block, toReference(block, kept.id))
  }
}

function toReference(block: ContentBlock, fileId: string): ContentBlock {
  return { ...block, source: { type: 'file', file_id: fileId } }
}

/** Returns the file of a block, if the block can be restored from it byte for byte. */
function toFile(block: ContentBlock): SentFile | undefined {
  const { source } = block
  const { type, data } = isJsonObject(source) ? source : {}
  if (typeof data !== 'string') return undefined
  const isBinary = type === 'base64'
  if (!isBinary && data.length < MIN_TEXT_CHARS) return undefined
  const bytes = isBinary ? decodeBase64(data) : new TextEncoder().encode(data)
  const media = bytes && findMedia(bytes)
  if (bytes === undefined || media === undefined) return undefined
  const file = { ...media, bytes, filename: nameOfBlock(block) ?? 'file' }
  const again = toResolvedBlock(toReference(block, ''), { id: '', ...file })
  return JSON.stringify(again) === JSON.stringify(block) ? file : undefined
}

/** Restores the files of a prompt that was loaded from the store. */
export async function restorePrompt(options: RestoreOptions, prompt: Prompt): Promise<Prompt> {
  return typeof prompt === 'string' ? prompt : createRestore(options)(prompt)
}

/** The session whose files are restored. */
interface RestoreOptions {
  readonly store: Pick<Store, 'file'>
  readonly session: string
}

type Restore = (blocks: readonly ContentBlock[]) => Promise<readonly ContentBlock[]>

/** Creates a function that restores the files of blocks. A file referenced several times is loaded once. */
export function createRestore({ store, session }: RestoreOptions): Restore {
  const known = new Map<string, ContentBlock>()

  const restoreOne = async (block: ContentBlock): Promise<ContentBlock> => {
    const id = uploadIn(block)
    if (id === undefined) return block
    const key = JSON.stringify(block)
    const file = known.has(key) ? undefined : await store.file(session, id)
    const restored = known.get(key) ?? (file && toResolvedBlock(block, file)) ?? toLost(id)
    known.set(key, restored)
    return restored
  }

  return async (blocks) => {
    if (!blocks.some(uploadIn)) return blocks
    const restored: ContentBlock[] = []
    for (const block of blocks) restored.push(await restoreOne(block))
    return restored
  }
}

function toLost(id: string): ContentBlock {
  return { type: 'text', text: `[The file ${id} is no longer stored.]` }
}
