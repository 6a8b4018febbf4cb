import type { Open } from '../format.ts'
import { isNamePart } from '../characters.ts'
import { readHeader } from './header-opener.ts'
import { Marker, type MarkerOptions } from './scan/marker.ts'
import { type Opening, plainOpening } from './opening.ts'
import type { Reader } from './reader.ts'
import type { Reading } from './scan/step.ts'
import { readAssigned, readTag, type TagShape } from './tag-opener.ts'

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

/** `*` stands for any name. */
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
