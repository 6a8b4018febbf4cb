import { createAgentScope } from '../agent-scope.ts'
import { unescapeBackslashes } from '../escaping/backslashes.ts'
import { isBlank } from '../escaping/layers.ts'
import { END_OF_STREAM, readFailure, type Tag, tagOf } from '../tags.ts'
import {
  type BlockWriter,
  createBlockWriter,
  DEFAULT_LIMITS,
  type LegacyXmlDecoder,
  type LegacyXmlDecoderOptions,
} from './block-writer.ts'
import { createElementCollector, type ElementCollector } from './element-scanner.ts'
import { beginTag, closingName, type OpenTag, readOpenTag } from './open-tag.ts'

/**
 * Creates a decoder for a legacy stream with message boundaries, each input the data of one SSE message: only a
 * whole message can be structure. [XML-2]
 */
export function createLegacyXmlDecoder({
  agent,
  limits = {},
}: LegacyXmlDecoderOptions = {}): LegacyXmlDecoder {
  const { maxElementLength } = { ...DEFAULT_LIMITS, ...limits }
  const writer = createBlockWriter(createAgentScope(agent))
  const reader = createMessageReader(writer, maxElementLength)
  /** Messages that have a meaning only at the end of the stream: a failure, the end marker, or both. [XML-16] */
  let endMessages: string[] = []

  function isEndCandidate(message: string): boolean {
    if (message === END_OF_STREAM) return true
    return endMessages.length === 0 && readFailure(message) !== undefined
  }

  function readAsText(): void {
    for (const message of endMessages) reader.read(message)
    endMessages = []
  }

  function read(message: string): void {
    if (reader.isInside && isEndCandidate(message)) return void endMessages.push(message)
    readAsText()
    // A model never writes text outside a block.
    const failure = reader.isInside ? undefined : readFailure(message)
    if (failure === undefined) reader.read(message)
    else writer.addMessage(failure)
  }

  return {
    feed(message) {
      read(message)
      return writer.take()
    },
    finish() {
      const failure = readFailure(endMessages[0] ?? '')
      endMessages = []
      reader.finish()
      if (failure !== undefined) writer.addMessage(failure)
      return writer.take()
    },
  }
}

/** Reads the messages of a legacy stream one by one. [XML-2] */
interface MessageReader {
  /** Whether a block or an element is open, so that a message belongs to it. */
  readonly isInside: boolean
  read(message: string): void
  /** Ends open blocks and elements. [XML-15] */
  finish(): void
}

/** Creates the reader of one stream. */
function createMessageReader(writer: BlockWriter, maxElementLength: number): MessageReader {
  let collector: ElementCollector | undefined
  let held = ''

  function collect(into: ElementCollector, message: string): void {
    const source = held + message
    const at = into.feed(source, 0)
    held = into.isClosed ? '' : source.slice(at)
    if (!into.isClosed) return
    collector = undefined
    writer.addText(source.slice(at))
  }

  function readOutside(message: string): void {
    const text = message.trimStart()
    if (text.trimEnd() === END_OF_STREAM) return writer.closeBlock()
    const open = readOpenTag(text)
    const tag = tagOf(open?.name ?? closingName(text) ?? '')
    if (tag === undefined) return writer.addText(message)
    // A structural closing tag outside every block has no effect. [XML-14]
    if (open === undefined) return
    const rest = text.slice(open.end)
    if (!isOneElement(tag, open, rest)) return writer.addText(message)
    const begun = beginTag(writer, tag, open)
    if (begun === 'block') readBlock(tag, rest)
    if (begun === 'body') readBody(tag, open, text)
  }

  function readBlock({ closer }: Tag, rest: string): void {
    if (isBlank(rest)) return
    const body = bodyBefore(closer, rest)
    writer.addText(unescapeBackslashes(body ?? rest))
    if (body !== undefined) writer.closeBlock()
  }

  function readBody(tag: Tag, { attributes, end }: OpenTag, text: string): void {
    const rest = text.slice(end)
    if (isBlank(rest)) {
      const opening = { tag, attributes, source: text.slice(0, end) }
      collector = createElementCollector(opening, writer, maxElementLength)
    } else {
      const body = bodyBefore(tag.closer, rest)
      writer.addElement({ tag, attributes, body: body ?? rest, isCut: body === undefined })
    }
  }

  return {
    get isInside() {
      return collector !== undefined || writer.openTag !== undefined
    },
    read(message) {
      if (collector !== undefined) collect(collector, message)
      else if (writer.openTag === undefined) readOutside(message)
      else if (message === writer.openTag.closer) writer.closeBlock()
      else writer.addText(unescapeBackslashes(message))
    },
    finish() {
      collector?.finish(held)
      collector = undefined
      held = ''
      writer.interruptBlock()
    },
  }
}

/** Returns the text before a closing tag at the end of the message, or undefined if there is none. */
function bodyBefore(closer: string, rest: string): string | undefined {
  const trimmed = rest.trimEnd()
  return trimmed.endsWith(closer) ? trimmed.slice(0, -closer.length) : undefined
}

/** Checks whether an opening tag and the rest of its message are one element, complete or interrupted. [XML-2] [XML-15] */
function isOneElement({ shape, closer }: Tag, { isSelfClosing }: OpenTag, rest: string): boolean {
  if (isBlank(rest)) return true
  if (isSelfClosing) return false
  const body = bodyBefore(closer, rest)
  if (shape === 'attribute') return body !== undefined && isBlank(body)
  return body !== undefined || !rest.includes(closer)
}
