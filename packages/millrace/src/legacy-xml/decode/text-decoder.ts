import { createAgentScope } from '../agent-scope.ts'
import { incompleteEscapeStart, unescapeBackslashes } from '../escaping/backslashes.ts'
import { END_OF_STREAM, MAX_NAME_LENGTH, type Tag, tagOf } from '../tags.ts'
import {
  type BlockWriter,
  createBlockWriter,
  DEFAULT_LIMITS,
  type LegacyXmlDecoder,
  type LegacyXmlDecoderOptions,
} from './block-writer.ts'
import { copySlice, createCollectedText, isMarkerCut } from './collected-text.ts'
import { createElementCollector, type Opening } from './element-scanner.ts'
import { beginTag, closingName, readOpenTag } from './open-tag.ts'

/**
 * Creates a decoder for a legacy stream without message boundaries, such as a saved file. The output depends only
 * on the whole text, not on how it is split. [XML-4]
 */
export function createLegacyXmlTextDecoder({
  agent,
  limits = {},
}: LegacyXmlDecoderOptions = {}): LegacyXmlDecoder {
  const writer = createBlockWriter(createAgentScope(agent))
  const context = { ...DEFAULT_LIMITS, ...limits, writer }
  let state = outside(context)
  let held = ''
  return {
    feed(piece) {
      const cursor: Cursor = { source: held + piece, at: 0 }
      for (let next: State | undefined = state; next !== undefined; next = state.scan(cursor)) {
        state = next
      }
      held = copySlice(cursor.source, cursor.at)
      return writer.take()
    },
    finish() {
      state.finish(held)
      state = outside(context)
      held = ''
      writer.interruptBlock()
      return writer.take()
    },
  }
}

const delimiters = { none: /["'<>]/g, '"': /["<]/g, "'": /['<]/g } as const

/** The text and the current position. */
interface Cursor {
  readonly source: string
  at: number
}

/** A state of the decoder: reads on and returns the next state, or undefined to wait for more text. */
interface State {
  scan(cursor: Cursor): State | undefined
  /** Handles held text at the end of the stream. */
  finish(rest: string): void
}

interface StateContext {
  readonly writer: BlockWriter
  readonly maxTagLength: number
  readonly maxElementLength: number
}

const BLANK = /[ \t\r\n]*/y
const TAG_START = /<\/?(?:[A-Za-z][\w:-]*)?/y
const LONGEST_TAG_START = MAX_NAME_LENGTH + '</'.length

function matchLength(pattern: RegExp, { source, at }: Cursor): number {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0].length ?? 0
}

/**
 * Outside every block.
 * <meta_init data="{}"></meta_init> <content-block-text>
 * ^
 */
function outside(context: StateContext): State {
  const { writer } = context
  return {
    scan(cursor) {
      const { source } = cursor
      if (!writer.hasOutsideText) {
        cursor.at += matchLength(BLANK, cursor)
        if (isMarkerCut(END_OF_STREAM, source, cursor.at)) return undefined
        if (source.startsWith(END_OF_STREAM, cursor.at)) {
          cursor.at += END_OF_STREAM.length
          return outside(context)
        }
      }
      const start = source.indexOf('<', cursor.at)
      const end = start < 0 ? source.length : start
      writer.addText(copySlice(source, cursor.at, end))
      cursor.at = end
      return start < 0 ? undefined : tagName(context)
    },
    finish: (rest) => writer.addText(rest),
  }
}

/**
 * At a `<`, until the name is complete.
 * <content-block-text>Hello
 * ^
 */
function tagName(context: StateContext): State {
  const { writer } = context
  return {
    scan(cursor) {
      const { source, at } = cursor
      const length = matchLength(TAG_START, cursor)
      if (at + length === source.length && length <= LONGEST_TAG_START) return undefined
      const start = copySlice(source, at, at + length)
      cursor.at += length
      if (tagOf(start.replace(/^<\/?/, '')) !== undefined) return insideTag(context, start)
      writer.addText(start)
      return outside(context)
    },
    finish: (rest) => writer.addText(rest),
  }
}

/**
 * In a tag with a known name: searches for its end.
 * <meta_init data="{&quot;format&quot;:
 * ^
 */
function insideTag(context: StateContext, start: string): State {
  const { writer, maxTagLength } = context
  const scanner = createTagScanner(start, maxTagLength)
  return {
    scan(cursor) {
      cursor.at = scanner.scan(cursor.source, cursor.at)
      if (scanner.verdict === 'open') return undefined
      if (scanner.verdict === 'complete') return afterTag(context, scanner.take())
      writer.addText(scanner.take())
      return outside(context)
    },
    finish: () => writer.addText(scanner.take()),
  }
}

function afterTag(context: StateContext, source: string): State {
  const { writer } = context
  const open = readOpenTag(source)
  const tag = open === undefined ? undefined : tagOf(open.name)
  if (open === undefined || tag === undefined) {
    // A structural closing tag outside every block has no effect. [XML-14]
    if (closingName(source) === undefined) writer.addText(source)
    return outside(context)
  }
  const begun = beginTag(writer, tag, open)
  if (begun === 'block') return insideBlock(context, tag)
  if (begun === 'body') return insideElement(context, { tag, attributes: open.attributes, source })
  return outside(context)
}

/**
 * In a text or thinking block: only its own closing tag has a meaning. [XML-3]
 * <content-block-text>Hello</content-block-text>
 * ^
 */
function insideBlock(context: StateContext, { closer }: Tag): State {
  const { writer } = context
  return {
    scan(cursor) {
      const { source, at } = cursor
      const end = source.indexOf(closer, at)
      const textEnd = end < 0 ? heldFrom(source, at, closer) : end
      writer.addText(unescapeBackslashes(copySlice(source, at, textEnd)))
      cursor.at = end < 0 ? textEnd : end + closer.length
      if (end < 0) return undefined
      writer.closeBlock()
      return outside(context)
    },
    finish: (rest) => writer.addText(unescapeBackslashes(rest)),
  }
}

/** Returns the start of the end of the text that may become the closing tag or an escape. */
function heldFrom(source: string, at: number, closer: string): number {
  const last = source.lastIndexOf('<')
  if (last >= at && isMarkerCut(closer, source, last)) return last
  return at + incompleteEscapeStart(source.slice(at))
}

/**
 * In the body of an element.
 *
 *     <content-block-error><![CDATA[{"type":"api_error"}]]></content-block-error>
 *                          ^
 */
function insideElement(context: StateContext, opening: Opening): State {
  const collector = createElementCollector(opening, context.writer, context.maxElementLength)
  return {
    scan(cursor) {
      cursor.at = collector.feed(cursor.source, cursor.at)
      return collector.isClosed ? outside(context) : undefined
    },
    finish: (rest) => collector.finish(rest),
  }
}

/** Finds the end of a tag whose attributes arrive in chunks; reads every unit once. */
interface TagScanner {
  /** Reads text and returns the first unread position. */
  scan(source: string, from: number): number
  /** `refused`: the text read so far is not a tag. */
  readonly verdict: 'open' | 'complete' | 'refused'
  /** Removes and returns the start and all text read so far. */
  take(): string
}

function isQuote(text: string): text is '"' | "'" {
  return text === '"' || text === "'"
}

/** Creates the scanner of a tag from its start, up to its name. A `<` or an exceeded limit refuses it. [XML-6] [XML-22] */
function createTagScanner(start: string, maxLength: number): TagScanner {
  const taken = createCollectedText(start)
  let quote: keyof typeof delimiters = 'none'
  let verdict: TagScanner['verdict'] = 'open'

  function judge(delimiter: string): void {
    if (delimiter === '<') verdict = 'refused'
    else if (delimiter === '>') verdict = 'complete'
    else quote = quote === 'none' && isQuote(delimiter) ? delimiter : 'none'
  }

  /** Reads text up to and including the next delimiter; `<` stays unread, because it may begin a tag. */
  function pass(source: string, from: number): number {
    const pattern = delimiters[quote]
    pattern.lastIndex = from
    const found = pattern.exec(source)
    if (found !== null) judge(found[0])
    const end = found === null ? source.length : found.index + (found[0] === '<' ? 0 : 1)
    taken.add(source, from, end)
    return end
  }

  return {
    get verdict() {
      return verdict
    },
    scan(source, from) {
      let at = from
      while (verdict === 'open' && at < source.length) {
        at = pass(source, at)
        if (taken.length > maxLength) verdict = 'refused'
      }
      return at
    },
    take: () => taken.take(),
  }
}
