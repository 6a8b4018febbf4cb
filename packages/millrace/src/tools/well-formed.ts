import type { ContentBlock, ResultContent } from '../events/index.ts'

/** Half of a surrogate pair: with the flag `u`, whole pairs are characters of their own. */
const halves = /\p{Surrogate}/gu

/** Replaces half characters: one in a conversation makes model APIs refuse every later request. */
export function toWellFormed(text: string): string {
  return text.replace(halves, '\ufffd')
}

/** The same for what goes to a model, text or blocks. */
export function toWellFormedContent(content: ResultContent): ResultContent {
  return typeof content === 'string' ? toWellFormed(content) : content.map(toWellFormedBlock)
}

/** The same for a block; those that are no text stay the same values. */
export function toWellFormedBlock(block: ContentBlock): ContentBlock {
  const { type, text } = block
  return type === 'text' && typeof text === 'string'
    ? { ...block, text: toWellFormed(text) }
    : block
}
