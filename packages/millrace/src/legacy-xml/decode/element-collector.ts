import type { BlockWriter } from './block-writer.ts'
import { createElementScanner } from './element-scanner.ts'
import type { RawAttributes } from './open-tag.ts'
import type { Tag } from '../tags.ts'

/** The opening tag of an element, parsed and as text. */
export interface Opening {
  readonly tag: Tag
  readonly attributes: RawAttributes
  readonly source: string
}

/** Collects the body of one element up to its closing tag, within a bound. */
export interface ElementCollector {
  /** Reads text and returns the first unread position; unless closed, the rest must be passed again. */
  feed(source: string, from: number): number
  readonly isClosed: boolean
  /** Ends the element at the end of the stream, with the unread text. [XML-15] */
  finish(rest: string): void
}

/**
 * Creates the collector of one element. An element over the limit becomes text, up to and including its closing
 * tag, so that its content is never read as structure. [XML-22]
 */
export function createElementCollector(
  { tag, attributes, source: opener }: Opening,
  writer: BlockWriter,
  maxLength: number,
): ElementCollector {
  const scanner = createElementScanner(tag)
  let isText = false

  function spill(): void {
    if (!isText) writer.addText(opener)
    isText = true
    writer.addText(scanner.takeBody())
  }

  function close(): void {
    if (!isText) writer.addElement({ tag, attributes, body: scanner.takeBody() })
    else writer.addText(tag.closer)
  }

  return {
    get isClosed() {
      return scanner.isClosed
    },
    feed(source, from) {
      const at = scanner.scan(source, from)
      if (isText || scanner.bodyLength > maxLength) spill()
      if (scanner.isClosed) close()
      return at
    },
    finish(rest) {
      // The rest of a section is text; a cut tag between sections is not.
      const kept = rest.startsWith('<') ? '' : rest
      if (isText) writer.addText(scanner.takeBody() + rest)
      else writer.addElement({ tag, attributes, body: scanner.takeBody() + kept, isCut: true })
    },
  }
}
