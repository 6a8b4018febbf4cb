import type { ContentBlock } from '../../events/index.ts'

/** What is stored in the place of a block, by the block: the same ones come back in every state of a run. */
const references = new WeakMap<ContentBlock, ContentBlock>()

/** Makes a block be stored as another one, which names its file; the block itself stays as it is. */
export function storeBlockAs(block: ContentBlock, reference: ContentBlock): void {
  references.set(block, reference)
}

/** A block as it is stored: without its file, where that is kept beside. */
export function toStoredBlock(block: ContentBlock): ContentBlock {
  return references.get(block) ?? block
}
