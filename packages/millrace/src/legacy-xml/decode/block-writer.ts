import type { Envelope } from '../../events/index.ts'
import { agentOf, type AgentScope } from '../agent-scope.ts'
import { type Element, fieldsOf, type Message, readElement } from './element.ts'
import { AGENT_ATTRIBUTE, type Fields } from '../fields.ts'
import { layers } from '../escaping/layers.ts'
import type { RawAttributes } from './open-tag.ts'
import type { Tag } from '../tags.ts'

/** Converts the tags and texts of a legacy stream to messages; message mode and text mode share it. */
export interface BlockWriter {
  /** The tag of the open text or thinking block; undefined for text outside every block. */
  readonly openTag: Tag | undefined
  /** Whether text outside every block has begun. */
  readonly hasOutsideText: boolean
  openBlock(tag: Tag, attributes: RawAttributes): void
  /** Adds text, already unescaped, to the open block, or outside every block. [XML-14] */
  addText(text: string): void
  closeBlock(): void
  /** Closes a block that the end of the stream has interrupted; text outside every block has no end. [XML-15] */
  interruptBlock(): void
  addElement(element: Element): void
  /** Adds a message without an element, from the stream's own agent. */
  addMessage(message: Message): void
  /** Removes and returns the messages written since the last call. */
  take(): Envelope[]
}

interface OpenBlock {
  readonly tag: Tag | undefined
  readonly type: string
  readonly agent: string
  readonly fields: Fields
}

/** Creates the writer of one stream. */
export function createBlockWriter(scope: AgentScope): BlockWriter {
  let written: Envelope[] = []
  let block: OpenBlock | undefined
  let pending: string[] = []

  function writeToBlock(final: boolean, delta: string, mark: Fields = {}): void {
    if (block === undefined) return
    const { type, agent, fields } = block
    written.push({ type, agent, final, delta, ...fields, ...mark })
  }

  /** Writes chunks that were found together as one message. */
  function flushText(): void {
    if (pending.length > 0) writeToBlock(false, pending.join(''))
    pending = []
  }

  function closeBlock(mark?: Fields): void {
    flushText()
    writeToBlock(true, '', mark)
    block = undefined
  }

  function open(type: string, tag?: Tag, named?: string, fields: Fields = {}): OpenBlock {
    closeBlock()
    return { tag, type, agent: agentOf(scope, { type, delta: '' }, named), fields }
  }

  function add(messages: readonly Message[], named?: string): void {
    closeBlock()
    for (const message of messages) {
      const { type, final, delta, ...fields } = message
      written.push({ type, agent: agentOf(scope, message, named), final, delta, ...fields })
    }
  }

  return {
    get openTag() {
      return block?.tag
    },
    get hasOutsideText() {
      return block !== undefined && block.tag === undefined
    },
    openBlock(tag, attributes) {
      const { fields } = fieldsOf({ tag, attributes })
      block = open(tag.type, tag, namedAgent(tag, attributes), fields)
    },
    addText(text) {
      const kept = block === undefined ? text.replace(/^[ \t\r\n]+/, '') : text
      if (kept === '') return
      block ??= open('text')
      pending.push(kept)
    },
    closeBlock: () => closeBlock(),
    interruptBlock: () => closeBlock(block?.tag === undefined ? {} : { interrupted: true }),
    addElement(element) {
      add(readElement(element), namedAgent(element.tag, element.attributes))
    },
    addMessage: (message) => add([message]),
    take() {
      flushText()
      const taken = written
      written = []
      return taken
    },
  }
}

function namedAgent(tag: Tag, attributes: RawAttributes): string | undefined {
  const raw = attributes.get(AGENT_ATTRIBUTE)
  return raw === undefined ? undefined : layers[tag.layer].decodeAttribute(raw)
}

/** Bounds on the text that a decoder holds, in UTF-16 units. [XML-22] */
export interface LegacyXmlLimits {
  /** Maximum length of an opening tag in text mode; a longer one is text. */
  readonly maxTagLength?: number
  /** Maximum length of an element's body that arrives in chunks; a longer one is text. */
  readonly maxElementLength?: number
}

/** Default bounds; `data` attributes may carry a whole conversation. */
export const DEFAULT_LIMITS = {
  maxTagLength: 64 * 1024 * 1024,
  maxElementLength: 64 * 1024 * 1024,
} as const satisfies LegacyXmlLimits

/** Options of a decoder. */
export interface LegacyXmlDecoderOptions {
  /** The agent of messages before a `meta_init` names it. [XML-20] */
  readonly agent?: string
  readonly limits?: LegacyXmlLimits
}

/** Converts a legacy stream to envelopes, chunk by chunk. */
export interface LegacyXmlDecoder {
  /** Reads the next chunk and returns the messages that it completes. */
  feed(piece: string): Envelope[]
  /** Ends the stream and closes open blocks. [XML-15] */
  finish(): Envelope[]
}
