import type { ContentBlock, ResultContent } from '../events/index.ts'

/** Lone surrogates. With the flag `u`, a surrogate pair is one character. */
const loneSurrogates = /\p{Surrogate}/gu

/** Replaces lone surrogates. One of them in a conversation makes model APIs reject every later request. */
export function toWellFormed(text: string): string {
  return text.replace(loneSurrogates, '\ufffd')
}

/** Replaces lone surrogates in result content. */
export function toWellFormedContent(content: ResultContent): ResultContent {
  return typeof content === 'string' ? toWellFormed(content) : content.map(toWellFormedBlock)
}

/** Replaces lone surrogates in a text block. Other blocks keep their identity. */
export function toWellFormedBlock(block: ContentBlock): ContentBlock {
  const { type, text } = block
  return type === 'text' && typeof text === 'string'
    ? { ...block, text: toWellFormed(text) }
    : block
}
