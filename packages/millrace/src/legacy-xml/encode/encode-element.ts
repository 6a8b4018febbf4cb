import type { Envelope } from '../../envelope/index.ts'
import { AGENT_ATTRIBUTE, writeAttributes } from '../fields.ts'
import { type LayerCodec, layers } from '../escaping/layers.ts'
import type { Shape, Tag } from '../tags.ts'

/** A complete block, to be written as an element. */
export interface WholeBlock {
  readonly tag: Tag
  readonly envelope: Envelope
  /** The images of a tool result, or the citations of a text. */
  readonly items: readonly Envelope[]
  /** The agent, if it is not the agent of the stream. [XML-20] */
  readonly agent: string | undefined
}

/** Writes the opening tag of a block without its `>`. */
export function openingTag({ tag, envelope, agent }: Omit<WholeBlock, 'items'>): string {
  const { encodeAttribute } = layers[tag.layer]
  const own =
    tag.shape === 'citations' ? '' : writeAttributes(envelope, encodeAttribute, tag.payload)
  const named = agent === undefined ? '' : ` ${AGENT_ATTRIBUTE}="${encodeAttribute(agent)}"`
  return `<${tag.name}${own}${named}`
}

/** Returns the content of a block byte for byte, without parsing. [XML-18] */
function contentOf(envelope: Envelope): string {
  return envelope.delta
}

function writeImage(image: Envelope, { encodeAttribute }: LayerCodec): string {
  const { id: _id, name: _name, ...own } = image
  return `<image${writeAttributes(own, encodeAttribute)} />`
}

function writeCitation(citation: Envelope, { encodeAttribute, encodeBody }: LayerCodec): string {
  const attributes = writeAttributes(citation, encodeAttribute)
  return `<citation${attributes}>${encodeBody(contentOf(citation))}</citation>`
}

function writeResult(block: WholeBlock, codec: LayerCodec): string {
  const text = codec.encodeBody(contentOf(block.envelope))
  if (block.items.length === 0) return text
  return `<text>${text}</text>${block.items.map((image) => writeImage(image, codec)).join('')}`
}

const bodies: Readonly<Record<Shape, (block: WholeBlock, codec: LayerCodec) => string>> = {
  stream: () => '',
  attribute: () => '',
  body: ({ envelope }, codec) => codec.encodeBody(contentOf(envelope)),
  result: writeResult,
  citations: ({ items }, codec) => items.map((item) => writeCitation(item, codec)).join(''),
}

/** Writes a complete block as one element without line ends. [XML-18] */
export function encodeElement(block: WholeBlock): string {
  const { tag, envelope } = block
  const codec = layers[tag.layer]
  const payload =
    tag.payload === undefined
      ? ''
      : ` ${tag.payload}="${codec.encodeAttribute(contentOf(envelope))}"`
  return `${openingTag(block)}${payload}>${bodies[tag.shape](block, codec)}${tag.closer}`
}
