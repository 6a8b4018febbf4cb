import { createPartialJson, isJsonObject, type JsonObject } from '../../json/index.ts'
import type { Open } from '../format.ts'
import { code, isNamePart, foldText, isNameStart, isSpace } from '../characters.ts'
import { type SegmentType, segmentTypes } from '../segment-event.ts'
import { Marker, type MarkerOptions } from './scan/marker.ts'
import { type Opening, plainOpening, type Reader, type Reading } from './reader.ts'
import { decodeEntities } from '../invocations/decode-entities.ts'

const aliases: Readonly<Record<string, SegmentType>> = {
  tool: 'tool_call',
  edit_file: 'patch_file',
  run_terminal_cmd: 'run_bash',
}

/** An opener of a block. */
export interface Opener {
  readonly marker: Marker
  /** Reads the opener from its first character. */
  read(reader: Reader): Reading<Opening | undefined>
}

/** Compiles the openers of a block or field. */
export function compileOpen(open: Open, options: MarkerOptions = {}): Opener[] {
  if ('literal' in open)
    return list(open.literal).map((text) =>
      literalOpener(text, { ...options, at: open.at ?? 'anywhere' }),
    )
  if ('tag' in open) return list(open.tag).map((tag) => tagOpener(tag, tagShape(open), options))
  if ('assign' in open)
    return [
      openerOf(new Marker(open.assign, options), (reader) => readAssigned(reader, open.end ?? '>')),
    ]
  if ('header' in open)
    return [openerOf(new Marker(open.header, options), (reader) => readHeader(reader, open.end))]
  if ('pair' in open) return [pairOpener(open.pair, options)]
  const { probe, at, isJson = false } = open
  const tail = isJson ? 'json' : 'nothing'
  return open.first.split('').map((first) => probeOpener(first, probe, { ...options, at, tail }))
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

function openerOf(marker: Marker, rest: (reader: Reader) => Reading<Opening | undefined>): Opener {
  return {
    marker,
    *read(reader) {
      reader.position += marker.stem.length
      return yield* rest(reader)
    },
  }
}

function literalOpener(text: string, options: MarkerOptions): Opener {
  const marker = new Marker(text, options)
  return {
    marker,
    // oxlint-disable-next-line require-yield
    *read(reader) {
      reader.position += marker.stem.length
      return plainOpening
    },
  }
}

function tagShape(open: Extract<Open, { tag: unknown }>): TagShape {
  return {
    prefix: open.prefix ?? '<',
    end: open.end ?? '>',
    anyCase: open.anyCase ?? false,
    require: open.require ?? [],
  }
}

/** `*` matches any name. */
function tagOpener(tag: string, shape: TagShape, options: MarkerOptions): Opener {
  const { prefix, end: tagEnd, anyCase } = shape
  if (tag !== '*') {
    const marker = new Marker(prefix + tag, { ...options, tail: 'boundary', anyCase, tagEnd })
    return openerOf(marker, (reader) => readTag(reader, tag, shape))
  }
  return openerOf(new Marker(prefix, { ...options, tail: 'name' }), function* (reader) {
    const name = yield* readName(reader)
    return yield* readTag(reader, name, shape)
  })
}

function* readName(reader: Reader): Reading<string> {
  const start = reader.position
  const limit = start + reader.limits.maxOpener
  while (reader.position < limit && isNamePart(yield* reader.peek())) reader.position++
  return reader.input.slice(start, reader.position)
}

function pairOpener(
  [keyOpen, keyClose, valueOpen]: readonly [string, string, string],
  options: MarkerOptions,
): Opener {
  const value = [new Marker(valueOpen)]
  return openerOf(new Marker(keyOpen, options), function* (reader) {
    const key = yield* readAssigned(reader, keyClose)
    if (key === undefined) return undefined
    yield* reader.skipSpace()
    if ((yield* reader.match(value)) === undefined) return undefined
    reader.position = reader.matchEnd
    return key
  })
}

function probeOpener(
  first: string,
  probe: (reader: Reader) => Reading<boolean>,
  options: MarkerOptions,
): Opener {
  return {
    marker: new Marker(first, options),
    *read(reader) {
      const { position } = reader
      const begins = yield* probe(reader)
      reader.position = position
      return begins ? plainOpening : undefined
    },
  }
}

/** Reads a JSON object and its end, as in `[[SEG_START {"type":"write_file","path":"/a"}]]`. */
function* readHeader(reader: Reader, end: string): Reading<Opening | undefined> {
  const limit = reader.position + reader.limits.maxHeader
  if ((yield* reader.skipSpace()) !== code.openBrace) return undefined
  const header = yield* readJsonObject(reader, limit)
  if (header === undefined) return undefined
  yield* reader.skipSpace()
  if ((yield* reader.match([new Marker(end)])) === undefined) return undefined
  reader.position = reader.matchEnd
  return toOpening(header)
}

/** Validates the header as it arrives, so that an invalid one is text at its first wrong character. */
function* readJsonObject(reader: Reader, limit: number): Reading<JsonObject | undefined> {
  const json = createPartialJson({ maxDepth: reader.limits.maxDepth })
  while (reader.position < limit) {
    const unit = yield* reader.peek()
    if (unit === -1) return undefined
    json.feed(String.fromCharCode(unit))
    reader.position++
    if (json.status === 'failed') return undefined
    if (json.status === 'complete') return isJsonObject(json.value) ? json.value : undefined
  }
  return undefined
}

function toOpening(header: JsonObject): Opening | undefined {
  const { type, ...metadata } = header
  if (typeof type !== 'string') return undefined
  const name = type.trim().toLowerCase()
  const segment = Object.hasOwn(aliases, name)
    ? aliases[name]
    : segmentTypes.find((known) => known === name)
  if (segment === undefined) return undefined
  return { name, attributes: new Map(), segment, metadata }
}

interface TagShape {
  readonly prefix: string
  readonly end: string
  readonly anyCase: boolean
  readonly require: readonly string[]
}

/** Reads the text after `<name` up to the end of the tag: quoted attributes, as in XML. */
function* readTag(reader: Reader, name: string, shape: TagShape): Reading<Opening | undefined> {
  const attributes = new Map<string, string>()
  const end = [new Marker(shape.end)]
  const selfEnd = [new Marker(`/${shape.end}`)]
  const limit = reader.position - shape.prefix.length - name.length + reader.limits.maxOpener
  while (reader.position < limit) {
    const spaceFrom = reader.position
    yield* reader.skipSpace(limit - spaceFrom)
    const closed = yield* readTagEnd(reader, end, selfEnd)
    if (closed !== undefined && reader.position > limit) return undefined
    if (closed !== undefined) return finish(name, attributes, shape, closed === 'self')
    if (reader.position === spaceFrom) return undefined
    if (!(yield* readAttribute(reader, attributes, shape.anyCase, limit))) return undefined
  }
  return undefined
}

function* readTagEnd(
  reader: Reader,
  end: readonly Marker[],
  selfEnd: readonly Marker[],
): Reading<'plain' | 'self' | undefined> {
  const isSelf = (yield* reader.match(selfEnd)) !== undefined
  if (!isSelf && (yield* reader.match(end)) === undefined) return undefined
  reader.position = reader.matchEnd
  return isSelf ? 'self' : 'plain'
}

function finish(
  name: string,
  attributes: ReadonlyMap<string, string>,
  shape: TagShape,
  selfClosing: boolean,
): Opening | undefined {
  if (shape.require.some((key) => (attributes.get(key) ?? '') === '')) return undefined
  return { name, attributes, selfClosing }
}

/**
 * Reads one attribute.
 * path = "it's.txt"
 * ^---------------^
 */
function* readAttribute(
  reader: Reader,
  attributes: Map<string, string>,
  anyCase: boolean,
  limit: number,
): Reading<boolean> {
  const start = reader.position
  if (!isNameStart(yield* reader.peek())) return false
  while (isNamePart(yield* reader.peek()) && reader.position < limit) reader.position++
  const key = reader.input.slice(start, reader.position)
  if ((yield* reader.skipSpace(limit - reader.position)) !== code.equals) return false
  reader.position++
  const quote = yield* reader.skipSpace(limit - reader.position)
  if (quote !== code.quote && quote !== code.apostrophe) return false
  reader.position++
  const value = yield* readQuoted(reader, quote, limit)
  if (value === undefined) return false
  const folded = anyCase ? foldText(key) : key
  if (!attributes.has(folded)) attributes.set(folded, decodeEntities(value))
  return true
}

/** A `<` is not allowed in a value: it shows that the text before it was not a tag. */
function* readQuoted(reader: Reader, quote: number, limit: number): Reading<string | undefined> {
  const start = reader.position
  for (;;) {
    const unit = yield* reader.peek()
    if (unit === -1 || unit === code.less || reader.position >= limit) return undefined
    reader.position++
    if (unit === quote) return reader.input.slice(start, reader.position - 1)
  }
}

/** Reads `name>` after `<function=`; the name may be quoted. */
function* readAssigned(reader: Reader, end: string): Reading<Opening | undefined> {
  const start = reader.position
  const close = [new Marker(end)]
  const limit = start + reader.limits.maxOpener
  while (reader.position < limit) {
    const unit = yield* reader.peek()
    if (unit === -1) return undefined
    if ((yield* reader.match(close)) !== undefined) {
      const written = reader.input.slice(start, reader.position).trim()
      reader.position = reader.matchEnd
      const name = written.replace(/^(["'])(.*)\1$/, '$2')
      return name === '' ? undefined : { name, attributes: new Map() }
    }
    if (unit === code.less || (isSpace(unit) && unit !== code.space)) return undefined
    reader.position++
  }
  return undefined
}
