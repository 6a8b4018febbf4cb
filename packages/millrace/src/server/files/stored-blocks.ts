import type { ContentBlock } from '../../events/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'

/** What is stored in the place of a block, by the block: the same ones come back in every state of a run. */
const references = new WeakMap<ContentBlock, ContentBlock>()

/** What files are called where their blocks have no field for it. */
const names = new WeakMap<ContentBlock, string>()

/** Makes a block be stored as another one, which names its file; the block itself stays as it is. */
export function storeBlockAs(block: ContentBlock, reference: ContentBlock): void {
  references.set(block, reference)
}

/** A block as it is stored: without its file, where that is kept beside. */
export function toStoredBlock(block: ContentBlock): ContentBlock {
  return references.get(block) ?? block
}

/** Remembers what the file in a block is called: models take no names of images. */
export function nameBlock(block: ContentBlock, filename: string): void {
  names.set(block, filename)
}

/** What the file in a block is called; undefined if that is not known. */
export function nameOfBlock(block: ContentBlock): string | undefined {
  const { title } = block
  return typeof title === 'string' ? title : names.get(block)
}

/** The file of a block that is kept beside; undefined if it has none. */
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
