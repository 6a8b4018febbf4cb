import { blockKey, createJoiner, type Envelope } from '../../envelope/index.ts'
import { createAttachments, resultKey } from './attachments.ts'
import { encodeElement } from './encode-element.ts'
import { tagOfType } from '../tags.ts'

/** Dependencies of an element writer. */
export interface ElementWriterOptions {
  readonly maxHeldLength: number
  /** Returns the agent that a message must name, or undefined if readers know it. */
  readonly namedAgentOf: (envelope: Envelope) => string | undefined
  readonly write: (element: string) => void
  readonly onOmit: (envelope: Envelope) => void
}

/** Collects the messages of blocks that do not stream and writes each block when it is complete. */
export interface ElementWriter {
  push(envelope: Envelope): void
  /** Writes the citations that wait for a last one, and drops incomplete blocks. */
  finish(): void
}

/** Creates the element writer of one stream. */
export function createElementWriter(options: ElementWriterOptions): ElementWriter {
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
