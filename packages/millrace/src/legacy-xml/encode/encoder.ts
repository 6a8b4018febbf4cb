import { blockKey, type Envelope } from '../../envelope/index.ts'
import { createAgentScope } from '../agent-scope.ts'
import { createElementWriter, type ElementWriterOptions } from './element-writer.ts'
import { openingTag } from './encode-element.ts'
import { createModelText } from './model-text.ts'
import { createOutputQueue, type StreamedBlock } from './output-queue.ts'
import { type Tag, tagOfType } from '../tags.ts'

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
