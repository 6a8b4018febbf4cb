import type { Tag } from '../tags.ts'
import type { BlockWriter } from './block-writer.ts'
import { copySlice } from './collected-text.ts'

/** Attributes before decoding. */
export type RawAttributes = ReadonlyMap<string, string>

/** A complete opening tag. */
export interface OpenTag {
  readonly name: string
  readonly attributes: RawAttributes
  readonly isSelfClosing: boolean
  /** Position after the tag. */
  readonly end: number
}

const NAME = /<[A-Za-z][\w:-]*(?=[\s/>])/y
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?=["'])/y
const END = /\s*(\/?)>/y
const valueEnds: Readonly<Record<string, RegExp>> = { '"': /["<]/g, "'": /['<]/g }

/**
 * Parses the opening tag at `start`, or returns undefined. Values may have either kind of quotes and cannot
 * contain `<`, so a tag that fails contains no other tag and is never read twice. [XML-6]
 */
export function readOpenTag(source: string, start = 0): OpenTag | undefined {
  if (matchAt(NAME, source, start) === null) return undefined
  const name = copySlice(source, start + 1, NAME.lastIndex)
  const attributes = new Map<string, string>()
  let at = NAME.lastIndex
  for (;;) {
    const attribute = matchAt(ATTRIBUTE, source, at)
    if (attribute === null) break
    const valueStart = ATTRIBUTE.lastIndex + 1
    const valueEnd = findValueEnd(source, valueStart)
    if (valueEnd === undefined) return undefined
    const key = attribute[1] ?? ''
    if (!attributes.has(key)) attributes.set(key, copySlice(source, valueStart, valueEnd))
    at = valueEnd + 1
  }
  const end = matchAt(END, source, at)
  if (end === null) return undefined
  return { name, attributes, isSelfClosing: end[1] === '/', end: END.lastIndex }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function findValueEnd(source: string, valueStart: number): number | undefined {
  const quote = source.charAt(valueStart - 1)
  const found = matchAt(valueEnds[quote] ?? END, source, valueStart)
  return found?.[0] === quote ? found.index : undefined
}

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
