import type { ContentBlock } from '../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'

/** Stored forms of blocks: the same block objects appear in every state of a run. */
const references = new WeakMap<ContentBlock, ContentBlock>()

/** Names of files whose blocks have no field for it. */
const names = new WeakMap<ContentBlock, string>()

/** Sets the stored form of a block, which references its file. The block itself does not change. */
export function storeBlockAs(block: ContentBlock, reference: ContentBlock): void {
  references.set(block, reference)
}

/** Returns the stored form of a block: a reference, if its file is stored apart. */
export function toStoredBlock(block: ContentBlock): ContentBlock {
  return references.get(block) ?? block
}

/** Remembers the file name of a block: models accept no names of images. */
export function nameBlock(block: ContentBlock, filename: string): void {
  names.set(block, filename)
}

/** Returns the file name of a block, if known. */
export function nameOfBlock(block: ContentBlock): string | undefined {
  const { title } = block
  return typeof title === 'string' ? title : names.get(block)
}

/** Returns the stored file of a block, if it has one. */
export function fileOfBlock(
  block: ContentBlock,
): { readonly fileId: string; readonly filename?: string } | undefined {
  const { file_id: fileId } = sourceOf(toStoredBlock(block))
  const filename = nameOfBlock(block)
  if (typeof fileId !== 'string') return undefined
  return { fileId, ...(filename !== undefined && { filename }) }
}

function sourceOf({ source }: ContentBlock): JsonObject {
  return isJsonObject(source) ? source : {}
}
