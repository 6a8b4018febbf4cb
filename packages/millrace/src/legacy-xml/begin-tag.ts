import type { BlockWriter } from './block-writer.ts'
import type { OpenTag } from './open-tag.ts'
import type { Tag } from './tags.ts'

/** What an opening tag leaves to be read: the text of a block, the body of an element, or nothing. */
export type Begun = 'block' | 'body' | 'whole'

/** Does what an opening tag says by itself. An element whose content is an attribute is whole with it. [XML-5] */
export function beginTag(
  writer: BlockWriter,
  tag: Tag,
  { attributes, isSelfClosing }: Pick<OpenTag, 'attributes' | 'isSelfClosing'>,
): Begun {
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

/** The name in a closing tag that is all there is in the text, or undefined. */
export function closingName(text: string): string | undefined {
  return CLOSING_TAG.exec(text)?.[1]
}
