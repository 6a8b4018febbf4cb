import { blockKey, createJoiner, type Envelope } from '../../events/index.ts'
import { createAgentScope } from '../agent-scope.ts'
import { type LayerCodec, layers } from '../escaping/layers.ts'
import { AGENT_ATTRIBUTE, writeAttributes } from '../fields.ts'
import {
  createAttachments,
  createModelText,
  createOutputQueue,
  resultKey,
  type StreamedBlock,
} from './output-queue.ts'
import { type Shape, type Tag, tagOfType } from '../tags.ts'

const bodies: Readonly<Record<Shape, (block: WholeBlock, codec: LayerCodec) => string>> = {
  stream: () => '',
  attribute: () => '',
  body: ({ envelope }, codec) => codec.encodeBody(contentOf(envelope)),
  result: writeResult,
  citations: ({ items }, codec) => items.map((item) => writeCitation(item, codec)).join(''),
}

/** Options of an encoder. */
export interface LegacyXmlEncoderOptions {
  /** The agent of the stream; default: the agent of the first message. [XML-20] */
  readonly agent?: string
  /** Whether messages of sub-agents are written with an `agent` attribute or omitted. [XML-20] */
  readonly agents?: 'all' | 'root'
  /** Maximum number of UTF-16 units that wait for a block to end. */
  readonly maxHeldLength?: number
  /** Called for every message that the format cannot express or that is omitted on request. [XML-21] */
  readonly onOmit?: (envelope: Envelope) => void
}

/** Converts envelopes to the data of legacy SSE messages. */
export interface LegacyXmlEncoder {
  /** Encodes the next envelope in wire order and returns the messages that are ready. */
  encode(envelope: Envelope): string[]
  /** Closes open blocks; incomplete blocks that cannot be shown in part are omitted. */
  finish(): string[]
}

/** Creates the encoder of one stream; text of a model can never become structure in it. [XML-17] */
export function createLegacyXmlEncoder({
  agent,
  agents = 'all',
  maxHeldLength = 64 * 1024 * 1024,
  onOmit = () => {},
}: LegacyXmlEncoderOptions = {}): LegacyXmlEncoder {
  const queue = createOutputQueue(maxHeldLength)
  const { namedAgentOf } = createAgentNaming(agent)
  const elements = createElementWriter({
    maxHeldLength,
    namedAgentOf,
    write: (element) => queue.addElement(element),
    onOmit,
  })
  const streams = new Map<string, StreamedBlock>()
  let root = agent

  function openStream(tag: Tag, envelope: Envelope): StreamedBlock {
    const opener = openingTag({ tag, envelope, agent: namedAgentOf(envelope) })
    const block = escapedBlock(queue.openBlock(`${opener}>`, tag.closer))
    streams.set(blockKey(envelope), block)
    return block
  }

  function writeStream(tag: Tag, envelope: Envelope): void {
    const block = streams.get(blockKey(envelope)) ?? openStream(tag, envelope)
    block.add(envelope.delta)
    if (!envelope.final) return
    block.close()
    streams.delete(blockKey(envelope))
  }

  function closeAll(): void {
    for (const block of streams.values()) block.close()
    queue.closeAll()
    streams.clear()
    elements.finish()
  }

  function write(envelope: Envelope): void {
    root ??= envelope.agent
    const tag = tagOfType(envelope.type)
    if (agents === 'root' && envelope.agent !== root) onOmit(envelope)
    else if (tag?.shape === 'stream') writeStream(tag, envelope)
    else elements.push(envelope)
  }

  return {
    encode(envelope) {
      write(envelope)
      return queue.take()
    },
    finish() {
      closeAll()
      return queue.take()
    },
  }
}

/** Escapes text that is added to a block; the end of its text may wait for the next delta. [XML-17] */
function escapedBlock(block: StreamedBlock): StreamedBlock {
  const text = createModelText()
  const send = (escaped: string): void => {
    if (escaped !== '') block.add(escaped)
  }
  return {
    add: (delta) => send(text.add(delta)),
    close() {
      send(text.end())
      block.close()
    },
  }
}

/** Decides which messages must name their agent. */
function createAgentNaming(known: string | undefined): Pick<ElementWriterOptions, 'namedAgentOf'> {
  const scope = createAgentScope(known)
  return {
    namedAgentOf({ type, delta, agent }) {
      const expected = scope.expect(type, delta)
      scope.settle(type, delta, agent)
      return expected === undefined || expected === agent ? undefined : agent
    },
  }
}

interface ElementWriterOptions {
  readonly maxHeldLength: number
  /** Returns the agent that a message must name, or undefined if readers know it. */
  readonly namedAgentOf: (envelope: Envelope) => string | undefined
  readonly write: (element: string) => void
  readonly onOmit: (envelope: Envelope) => void
}

/** Collects the messages of blocks that do not stream and writes each block when it is complete. */
interface ElementWriter {
  push(envelope: Envelope): void
  /** Writes the citations that wait for a last one, and drops incomplete blocks. */
  finish(): void
}

function createElementWriter(options: ElementWriterOptions): ElementWriter {
  const { maxHeldLength, namedAgentOf, write, onOmit } = options
  const joiner = createJoiner({ maxLength: maxHeldLength })
  const images = createAttachments(maxHeldLength)
  const citations = createAttachments(maxHeldLength)

  function writeBlock(envelope: Envelope, items: readonly Envelope[]): void {
    const tag = tagOfType(envelope.type)
    if (tag === undefined) return onOmit(envelope)
    write(encodeElement({ tag, envelope, items, agent: namedAgentOf(envelope) }))
  }

  function writeCitations(items: readonly Envelope[]): void {
    const [first] = items
    if (first !== undefined) writeBlock(first, items)
  }

  function pushWhole(whole: Envelope): void {
    const key = blockKey(whole)
    if (whole.type === 'tool_result_image') return images.add(resultKey(whole), whole)
    if (whole.type !== 'citation') return writeBlock(whole, images.take(key))
    citations.add(key, whole)
    if (whole.final) writeCitations(citations.take(key))
  }

  return {
    push(envelope) {
      const whole = joiner.push(envelope)
      if (whole !== undefined) pushWhole(whole)
    },
    finish() {
      for (const items of citations.takeAll()) writeCitations(items)
      for (const envelope of [...joiner.open(), ...images.takeAll().flat()]) onOmit(envelope)
    },
  }
}

/** A complete block, to be written as an element. */
interface WholeBlock {
  readonly tag: Tag
  readonly envelope: Envelope
  /** The images of a tool result, or the citations of a text. */
  readonly items: readonly Envelope[]
  /** The agent, if it is not the agent of the stream. [XML-20] */
  readonly agent: string | undefined
}

/** Writes the opening tag of a block without its `>`. */
function openingTag({ tag, envelope, agent }: Omit<WholeBlock, 'items'>): string {
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

/** Writes a complete block as one element without line ends. [XML-18] */
function encodeElement(block: WholeBlock): string {
  const { tag, envelope } = block
  const codec = layers[tag.layer]
  const payload =
    tag.payload === undefined
      ? ''
      : ` ${tag.payload}="${codec.encodeAttribute(contentOf(envelope))}"`
  return `${openingTag(block)}${payload}>${bodies[tag.shape](block, codec)}${tag.closer}`
}
