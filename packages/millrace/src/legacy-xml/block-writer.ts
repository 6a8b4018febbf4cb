import type { Envelope } from '../envelope/index.ts'
import { agentOf, type AgentScope } from './agent-scope.ts'
import { type Element, fieldsOf, type Message, readElement } from './element.ts'
import { AGENT_ATTRIBUTE, type Fields } from './fields.ts'
import { layers } from './layers.ts'
import type { RawAttributes } from './open-tag.ts'
import type { Tag } from './tags.ts'

/** Turns what a reader finds in a legacy stream into messages; message mode and text mode share it. */
export interface BlockWriter {
  /** The tag of the text or thinking block that is open; text outside every block has none. */
  readonly openTag: Tag | undefined
  /** Whether text that stands outside every block has begun. */
  readonly hasOutsideText: boolean
  openBlock(tag: Tag, attributes: RawAttributes): void
  /** Adds text, already unescaped, to the open block, or as it is outside every block. [XML-14] */
  addText(text: string): void
  closeBlock(): void
  /** Closes the block that the end of the stream has cut; text outside every block has no end to lack. [XML-15] */
  interruptBlock(): void
  addElement(element: Element): void
  /** Adds a message of no element, as one of the stream's own agent. */
  addMessage(message: Message): void
  /** Takes the messages written since the last call. */
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

  /** Pieces that were found together go out as one message. */
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
