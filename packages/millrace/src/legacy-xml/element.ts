import { readCitations } from './citations-body.ts'
import { type Fields, toFields } from './fields.ts'
import { layers } from './layers.ts'
import type { RawAttributes } from './open-tag.ts'
import { readResultBody } from './result-body.ts'
import type { Shape, Tag } from './tags.ts'

/** A structural element as it is written: its tag, attributes and body. */
export interface Element {
  readonly tag: Tag
  readonly attributes: RawAttributes
  readonly body: string
}

/** A message of an element, before it is known whose it is. */
export interface Message {
  readonly type: string
  readonly final: boolean
  readonly delta: string
  readonly [extra: string]: unknown
}

function message(type: string, final: boolean, delta: string, fields: Fields): Message {
  return { type, final, delta, ...fields }
}

/** The extra fields that an element's attributes hold. */
export function fieldsOf({ tag, attributes }: Pick<Element, 'tag' | 'attributes'>): Fields {
  const fields = toFields(tag.type, attributes, layers[tag.layer].decodeAttribute, tag.payload)
  return tag.toolName === undefined || attributes.get('name')
    ? fields
    : { ...fields, name: tag.toolName }
}

function readAttribute(element: Element): Message[] {
  const { tag, attributes } = element
  const raw = attributes.get(tag.payload ?? '') ?? ''
  const delta = layers[tag.layer].decodeAttribute(raw)
  return [message(tag.type, true, delta, fieldsOf(element))]
}

function readBody(element: Element): Message[] {
  const { tag, body } = element
  return [message(tag.type, true, layers[tag.layer].decodeBody(body), fieldsOf(element))]
}

function readResult(element: Element): Message[] {
  const { tag, body } = element
  const { decodeAttribute } = layers[tag.layer]
  const fields = fieldsOf(element)
  const { text, images } = readResultBody(body)
  if (images.length === 0) return [message(tag.type, true, text, fields)]
  const { id = '', name = '' } = fields
  const imageMessages = images.map((attributes) => {
    const own = toFields('tool_result_image', attributes, decodeAttribute)
    return message('tool_result_image', false, '', { ...own, id, name })
  })
  return [
    message(tag.type, false, text, fields),
    ...imageMessages,
    message(tag.type, true, '', fields),
  ]
}

function readCitationList({ tag, body }: Element): Message[] {
  const { decodeAttribute, decodeBody } = layers[tag.layer]
  const citations = [...readCitations(body)]
  return citations.map((citation, index) =>
    message(
      tag.type,
      index === citations.length - 1,
      decodeBody(citation.body),
      toFields(tag.type, citation.attributes, decodeAttribute),
    ),
  )
}

const readers: Readonly<Record<Exclude<Shape, 'stream'>, (element: Element) => Message[]>> = {
  attribute: readAttribute,
  body: readBody,
  result: readResult,
  citations: readCitationList,
}

/** Turns an element into its messages; blocks that stream are not elements and give none. [XML-13] */
export function readElement(element: Element): Message[] {
  const { shape } = element.tag
  return shape === 'stream' ? [] : readers[shape](element)
}
