import { createAgentScope } from './agent-scope.ts'
import { unescapeBackslashes } from './backslashes.ts'
import { beginTag, closingName } from './begin-tag.ts'
import { createBlockWriter } from './block-writer.ts'
import { isBlank } from './cdata.ts'
import { DEFAULT_LIMITS, type LegacyXmlDecoder, type LegacyXmlDecoderOptions } from './decoder.ts'
import { createElementCollector, type ElementCollector } from './element-collector.ts'
import { mayBeFailure, readFailure } from './last-word.ts'
import { type OpenTag, readOpenTag } from './open-tag.ts'
import { type Tag, tagOf } from './tags.ts'

const END_OF_STREAM = '[DONE]'

/**
 * Creates a decoder for a legacy stream whose messages are given one by one, each the data of one SSE message:
 * only a whole message can be structure. [XML-2]
 */
export function createLegacyXmlDecoder({
  agent,
  limits = {},
}: LegacyXmlDecoderOptions = {}): LegacyXmlDecoder {
  const { maxElementLength } = { ...DEFAULT_LIMITS, ...limits }
  const writer = createBlockWriter(createAgentScope(agent))
  let collector: ElementCollector | undefined
  let held = ''
  let lastWord: string | undefined

  /** In an open block these are the end of the stream only if nothing follows. [XML-16] */
  function mayBeLastWord(message: string): boolean {
    const isOpen = writer.openTag !== undefined || collector !== undefined
    return mayBeFailure(message) || (isOpen && message === END_OF_STREAM)
  }

  function read(message: string): void {
    if (collector !== undefined) collect(collector, message)
    else if (writer.openTag === undefined) readOutside(message)
    else if (message === writer.openTag.closer) writer.closeBlock()
    else writer.addText(unescapeBackslashes(message))
  }

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
    if (open === undefined) return
    const rest = text.slice(open.end)
    if (isOneElement(tag, open, rest)) readTag(tag, open, text, rest)
    else writer.addText(message)
  }

  function readTag(tag: Tag, open: OpenTag, text: string, rest: string): void {
    const { attributes } = open
    const begun = beginTag(writer, tag, open)
    const isAlone = isBlank(rest)
    if (begun === 'body' && isAlone) {
      const opening = { tag, attributes, source: text.slice(0, open.end) }
      collector = createElementCollector(opening, writer, maxElementLength)
    }
    if (begun === 'whole' || isAlone) return
    const body = bodyBefore(tag.closer, rest)
    if (begun === 'body') return writer.addElement({ tag, attributes, body: body ?? rest })
    writer.addText(unescapeBackslashes(body ?? rest))
    if (body !== undefined) writer.closeBlock()
  }

  return {
    feed(message) {
      if (lastWord !== undefined) read(lastWord)
      lastWord = mayBeLastWord(message) ? message : undefined
      if (lastWord === undefined) read(message)
      return writer.take()
    },
    finish() {
      const failure = lastWord === undefined ? undefined : readFailure(lastWord)
      if (lastWord !== undefined && lastWord !== END_OF_STREAM && !failure) read(lastWord)
      lastWord = undefined
      collector?.finish(held)
      collector = undefined
      held = ''
      writer.closeBlock()
      if (failure !== undefined) writer.addMessage(failure)
      return writer.take()
    },
  }
}

/** The text before a closing tag that ends the message, or undefined where none does. */
function bodyBefore(closer: string, rest: string): string | undefined {
  const trimmed = rest.trimEnd()
  return trimmed.endsWith(closer) ? trimmed.slice(0, -closer.length) : undefined
}

/** Tells whether an opening tag and the rest of its message are one element, closed or cut. [XML-2] [XML-15] */
function isOneElement({ shape, closer }: Tag, { isSelfClosing }: OpenTag, rest: string): boolean {
  if (isBlank(rest)) return true
  if (isSelfClosing) return false
  const body = bodyBefore(closer, rest)
  if (shape === 'attribute') return body !== undefined && isBlank(body)
  return body !== undefined || !rest.includes(closer)
}
