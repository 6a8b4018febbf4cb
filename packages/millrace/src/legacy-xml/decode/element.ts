import { canBeInterrupted } from '../../events/index.ts'
import { parseJsonOr } from '../../json/index.ts'
import { bodyPieces, isBlank, unescapeResultSection, layers } from '../escaping/layers.ts'
import { decodeEntities } from '../escaping/backslashes.ts'
import { type Fields, toFields } from '../fields.ts'
import { type OpenTag, type RawAttributes, readOpenTag } from './open-tag.ts'
import type { Shape, Tag } from '../tags.ts'

const NESTED = /<(?:text|image)(?=[\s/>])|<\/(?:text|image)\s*>/g

const OPENER = /<citation(?=[\s/>])/g

const CLOSER = /<\/citation\s*>/g

const SECTION_OPENER = /\s*<!\[CDATA\[/y

/** A section end counts only where the citation can end, because the old formatter did not escape it. [XML-10] */
const SECTION_CLOSER = /\]\]>\s*<\/citation\s*>(?=\s*(?:<citation[\s/>]|$))/g

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
  const { interrupted, ...ownFields } = toFields(tag.type, attributes, decodeAttribute, tag.payload)
  const isNamed = tag.toolName === undefined || attributes.get('name')
  const fields = isNamed ? ownFields : { ...ownFields, name: tag.toolName }
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
  return parseJsonOr(content, undefined) === undefined ? JSON.stringify(content) : content
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

interface RawCitation {
  readonly attributes: RawAttributes
  readonly body: string
}

/** Reads the citations inside `<citations>`, in order; an unclosed citation extends to the end. [XML-12] */
function* readCitations(body: string): Generator<RawCitation, void> {
  let at = 0
  for (;;) {
    OPENER.lastIndex = at
    const start = OPENER.exec(body)?.index
    if (start === undefined) return
    const open = readOpenTag(body, start)
    if (open !== undefined) {
      const end = findEnd(body, open)
      yield { attributes: open.attributes, body: body.slice(open.end, end.body) }
      at = end.citation
    } else at = start + 1
  }
}

/** The end of a citation's body, and the end of the citation. */
interface CitationEnd {
  readonly body: number
  readonly citation: number
}

function findEnd(body: string, open: OpenTag): CitationEnd {
  if (open.isSelfClosing) return { body: open.end, citation: open.end }
  SECTION_OPENER.lastIndex = open.end
  const pattern = SECTION_OPENER.test(body) ? SECTION_CLOSER : CLOSER
  pattern.lastIndex = open.end
  const found = pattern.exec(body)
  if (found === null) return { body: body.length, citation: body.length }
  const citation = found.index + found[0].length
  return { body: found.index + found[0].lastIndexOf('<'), citation }
}

interface ResultBody {
  readonly text: string
  readonly images: readonly RawAttributes[]
}

/** Reads the text and the images of a tool result, inside tags or bare. [XML-8] [XML-11] */
function readResultBody(body: string): ResultBody {
  const images: RawAttributes[] = []
  const pieces: string[] = []
  let isMarkedUp = false
  let textCount = 0

  function addCharacters(text: string): void {
    if (!isBlank(text)) pieces.push(decodeEntities(text))
  }

  function addTag(name: string, attributes: RawAttributes): void {
    if (name === 'image') images.push(attributes)
    // The old system joined several texts as lines.
    else if (textCount++ > 0) pieces.push('\n')
  }

  function addMarkup(text: string): void {
    let at = 0
    for (const found of text.matchAll(NESTED)) {
      const isCloser = found[0].startsWith('</')
      const tag = isCloser ? undefined : readOpenTag(text, found.index)
      if (!isCloser && tag === undefined) continue
      isMarkedUp = true
      addCharacters(text.slice(at, found.index))
      if (tag !== undefined) addTag(tag.name, tag.attributes)
      at = tag?.end ?? found.index + found[0].length
    }
    addCharacters(text.slice(at))
  }

  for (const { kind, text } of bodyPieces(body)) {
    if (kind === 'characters') addMarkup(text)
    else {
      isMarkedUp = true
      pieces.push(unescapeResultSection(text))
    }
  }
  return { text: isMarkedUp ? pieces.join('') : decodeEntities(body), images }
}
