import type { BlockWriter } from './block-writer.ts'
import { createElementScanner } from './element-scanner.ts'
import type { RawAttributes } from './open-tag.ts'
import type { Tag } from './tags.ts'

/** The opening tag of an element, as read and as written. */
export interface Opening {
  readonly tag: Tag
  readonly attributes: RawAttributes
  readonly source: string
}

/** Collects the body of one element until its closing tag, within a bound. */
export interface ElementCollector {
  /** Takes text and tells the first unit it did not take; unless closed, that and the rest must come again. */
  feed(source: string, from: number): number
  readonly isClosed: boolean
  /** Ends the element where the stream ends, with the text that was not taken. [XML-15] */
  finish(rest: string): void
}

/**
 * Creates the collector of one element. An element over the limit becomes text, up to and with its closing
 * tag, so that nothing in it is taken for structure. [XML-22]
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
      // What a section may still hold is text; a torn tag between sections is not.
      const kept = rest.startsWith('<') ? '' : rest
      if (isText) writer.addText(scanner.takeBody() + rest)
      else writer.addElement({ tag, attributes, body: scanner.takeBody() + kept, isCut: true })
    },
  }
}
