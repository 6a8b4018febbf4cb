import { canBeInterrupted } from '../../envelope/index.ts'
import { readCitations } from './citations-body.ts'
import { type Fields, toFields } from '../fields.ts'
import { layers } from '../escaping/layers.ts'
import type { RawAttributes } from './open-tag.ts'
import { readResultBody } from './result-body.ts'
import type { Shape, Tag } from '../tags.ts'

/** A structural element before decoding: its tag, attributes and body. */
export interface Element {
  readonly tag: Tag
  readonly attributes: RawAttributes
  readonly body: string
  /** Whether the element has no closing tag, because it was interrupted. [XML-15] */
  readonly isCut?: boolean
}

/** A message of an element, before its agent is known. */
export interface Message {
  readonly type: string
  readonly final: boolean
  readonly delta: string
  readonly [extra: string]: unknown
}

function message(type: string, final: boolean, delta: string, fields: Fields): Message {
  return { type, final, delta, ...fields }
}

/** Fields from the attributes of an element: for all of its messages, and for the last one. */
interface ElementFields {
  readonly fields: Fields
  readonly closing: Fields
}

/** Returns the extra fields of an element's messages. */
export function fieldsOf(element: Omit<Element, 'body'>): ElementFields {
  const { tag, attributes, isCut = false } = element
  const { decodeAttribute } = layers[tag.layer]
  const { interrupted, ...told } = toFields(tag.type, attributes, decodeAttribute, tag.payload)
  const isNamed = tag.toolName === undefined || attributes.get('name')
  const fields = isNamed ? told : { ...told, name: tag.toolName }
  const isInterrupted = (isCut || interrupted === true) && canBeInterrupted(tag.type)
  return { fields, closing: isInterrupted ? { ...fields, interrupted: true } : fields }
}

function readAttribute(element: Element): Message[] {
  const { tag, attributes } = element
  const raw = attributes.get(tag.payload ?? '') ?? ''
  const delta = layers[tag.layer].decodeAttribute(raw)
  return [message(tag.type, true, delta, fieldsOf(element).closing)]
}

function readBody(element: Element): Message[] {
  const { tag, body } = element
  const fields = fieldsOf(element).closing
  const content = layers[tag.layer].decodeBody(body)
  const mayBeText = tag.mayBeText === true && fields['interrupted'] !== true
  return [message(tag.type, true, mayBeText ? toJsonText(content) : content, fields)]
}

/** Keeps JSON unchanged; any other text becomes a JSON string. [XML-23] */
function toJsonText(content: string): string {
  try {
    JSON.parse(content)
    return content
  } catch {
    return JSON.stringify(content)
  }
}

function readResult(element: Element): Message[] {
  const { tag, body } = element
  const { decodeAttribute } = layers[tag.layer]
  const { fields, closing } = fieldsOf(element)
  const { text, images } = readResultBody(body)
  if (images.length === 0) return [message(tag.type, true, text, closing)]
  const { id = '', name = '' } = fields
  const imageMessages = images.map((attributes) => {
    const own = toFields('tool_result_image', attributes, decodeAttribute)
    return message('tool_result_image', false, '', { ...own, id, name })
  })
  return [
    message(tag.type, false, text, fields),
    ...imageMessages,
    message(tag.type, true, '', closing),
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

/** Converts an element to its messages; blocks that stream are not elements and give none. [XML-13] */
export function readElement(element: Element): Message[] {
  const { shape } = element.tag
  return shape === 'stream' ? [] : readers[shape](element)
}
