import type { Block, Body, Open } from '../format.ts'
import { readAssigned, readTag, type TagShape } from './tag-opener.ts'
import { readHeader } from './header-opener.ts'
import { isNamePart } from './characters.ts'
import { Marker, type MarkerOptions } from './marker.ts'
import { type Opening, plainOpening } from './opening.ts'
import type { Reader } from './reader.ts'
import type { Reading } from './step.ts'

/** Reads what is inside a block; false if it is none, and then nothing was accepted. */
export type BodyReader = (reader: Reader, opening: Opening) => Reading<boolean>

/** Turns a body of a format into its reader. */
export type CompileBody = (body: Body) => BodyReader

/** One way in which a block may begin. */
export interface Opener {
  readonly marker: Marker
  /** Reads the opener from its first character. */
  read(reader: Reader): Reading<Opening | undefined>
}

/** How a block begins, and the body that follows. */
interface CompiledBlock {
  readonly opener: Opener
  readonly body: BodyReader
}

/** Blocks by the markers with which they begin. */
export type OpenerTable = ReadonlyMap<Marker, CompiledBlock>

/** Compiles blocks into a table for a scan. */
export function compileBlocks(blocks: readonly Block[], compileBody: CompileBody): OpenerTable {
  return new Map(
    blocks.flatMap(({ open, body, control = false }) => {
      const reader = compileBody(body)
      return compileOpen(open, { control }).map(
        (opener) => [opener.marker, { opener, body: reader }] as const,
      )
    }),
  )
}

/** Reads the first of the blocks that is one; false if none is, and then nothing was accepted. */
export function* readBlock(
  reader: Reader,
  table: OpenerTable,
  found: readonly Marker[],
  position: number,
): Reading<boolean> {
  for (const marker of found) {
    const block = table.get(marker)
    if (block === undefined || reader.isFull) continue
    reader.position = position
    if (yield* readSafely(reader, block)) return true
  }
  reader.position = position
  return false
}

/**
 * Reads a block whose code may be the user's. If it throws, or begins something and then says that it is none,
 * what it had begun is ended. What takes nothing is no block, or the scan would stay here.
 */
function* readSafely(reader: Reader, block: CompiledBlock): Reading<boolean> {
  const { position, begun } = reader
  const { taken } = reader.tape
  const isBlock = yield* tryRead(reader, block)
  if (!isBlock && reader.begun === begun && reader.tape.taken === taken) return false
  if (!isBlock) reader.abandon()
  else if (reader.tape.taken === taken && reader.position > position) reader.accept()
  reader.position = Math.max(reader.position, reader.tape.taken)
  return reader.position > position
}

function* tryRead(reader: Reader, { opener: { read }, body }: CompiledBlock): Reading<boolean> {
  reader.depth++
  try {
    const opening = yield* read(reader)
    return opening !== undefined && (yield* body(reader, opening))
  } catch {
    return false
  } finally {
    reader.depth--
  }
}

/** Compiles how a block or field begins. */
export function compileOpen(open: Open, options: MarkerOptions = {}): Opener[] {
  if ('literal' in open)
    return list(open.literal).map((text) =>
      literalOpener(text, { ...options, at: open.at ?? 'anywhere' }),
    )
  if ('tag' in open) return list(open.tag).map((tag) => tagOpener(tag, tagShape(open), options))
  if ('assign' in open)
    return [
      opener(new Marker(open.assign, options), (reader) => readAssigned(reader, open.end ?? '>')),
    ]
  if ('header' in open)
    return [opener(new Marker(open.header, options), (reader) => readHeader(reader, open.end))]
  if ('pair' in open) return [pairOpener(open.pair, options)]
  const { probe, at, isJson = false } = open
  const tail = isJson ? 'json' : 'nothing'
  return [...open.first].map((first) => probeOpener(first, probe, { ...options, at, tail }))
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

function opener(marker: Marker, rest: (reader: Reader) => Reading<Opening | undefined>): Opener {
  return {
    marker,
    *read(reader) {
      reader.position += marker.stem.length
      return yield* rest(reader)
    },
  }
}

// oxlint-disable-next-line require-yield
function literalOpener(text: string, options: MarkerOptions): Opener {
  return opener(new Marker(text, options), function* () {
    return plainOpening
  })
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
    return opener(marker, (reader) => readTag(reader, tag, shape))
  }
  return opener(new Marker(prefix, { ...options, tail: 'name' }), function* (reader) {
    const name = yield* readName(reader)
    return yield* readTag(reader, name, shape)
  })
}

function* readName(reader: Reader): Reading<string> {
  const start = reader.position
  const limit = start + reader.limits.maxOpener
  while (reader.position < limit && isNamePart(yield* reader.peek())) reader.position++
  return reader.tape.slice(start, reader.position)
}

function pairOpener(
  [keyOpen, keyClose, valueOpen]: readonly [string, string, string],
  options: MarkerOptions,
): Opener {
  const value = [new Marker(valueOpen)]
  return opener(new Marker(keyOpen, options), function* (reader) {
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
