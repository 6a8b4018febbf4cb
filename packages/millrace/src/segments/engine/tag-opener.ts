import { code, foldText, isNamePart, isNameStart, isSpace } from '../characters.ts'
import { decodeEntities } from '../invocations/decode-entities.ts'
import { Marker } from './scan/marker.ts'
import type { Opening, Reader, Reading } from './reader.ts'

/** The notation of a tag. */
export interface TagShape {
  readonly prefix: string
  readonly end: string
  readonly anyCase: boolean
  readonly require: readonly string[]
}

/** Reads the text after `<name` up to the end of the tag: quoted attributes, as in XML. */
export function* readTag(
  reader: Reader,
  name: string,
  shape: TagShape,
): Reading<Opening | undefined> {
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
export function* readAssigned(reader: Reader, end: string): Reading<Opening | undefined> {
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
