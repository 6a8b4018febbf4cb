import type { BlockWriter } from './block-writer.ts'
import type { OpenTag } from './open-tag.ts'
import type { Tag } from '../tags.ts'

/** The content that follows an opening tag: the text of a block, the body of an element, or nothing. */
type TagContent = 'block' | 'body' | 'whole'

/** Applies an opening tag. An element whose content is an attribute is complete with its tag. [XML-5] */
export function beginTag(
  writer: BlockWriter,
  tag: Tag,
  { attributes, isSelfClosing }: Pick<OpenTag, 'attributes' | 'isSelfClosing'>,
): TagContent {
  if (tag.shape === 'stream') {
    writer.openBlock(tag, attributes)
    if (!isSelfClosing) return 'block'
    writer.closeBlock()
    return 'whole'
  }
  if (tag.shape !== 'attribute' && !isSelfClosing) return 'body'
  writer.addElement({ tag, attributes, body: '' })
  return 'whole'
}

const CLOSING_TAG = /^<\/([A-Za-z][\w:-]*)\s*>\s*$/

/** Returns the name of a closing tag if the text is nothing else, or undefined. */
export function closingName(text: string): string | undefined {
  return CLOSING_TAG.exec(text)?.[1]
}
