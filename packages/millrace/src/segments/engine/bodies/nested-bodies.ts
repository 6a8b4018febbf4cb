import type { NamedBody, WrapperBody } from '../../format.ts'
import {
  type BodyReader,
  type CompileBody,
  compileBlocks,
  type OpenerTable,
  readBlock,
} from '../block.ts'
import { code } from '../../characters.ts'
import { findMarker, type Opening, type Reader, type Reading } from '../reader.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import { Scan } from '../scan/scan.ts'

/** The text before the body, and the start of the body. */
interface Header {
  readonly start: number
  readonly text: string
}

/** Compiles a body that begins with the name of the tool. */
export function compileNamed(body: NamedBody, compileBody: CompileBody): BodyReader {
  const { until, keep = [], pattern, isBare = false } = body
  const ends = new MarkerSet([...new Set([...until, ...keep])].map((text) => new Marker(text)))
  const read = compileBody(body.body)
  return function* (reader) {
    const header = yield* readHeader(reader, ends, keep)
    if (header === undefined || (isBare && isSpaced(reader, header))) return false
    const opening = toOpening(header.text.trim(), pattern)
    return opening === undefined ? false : yield* read(reader, opening)
  }
}

function* readHeader(
  reader: Reader,
  until: MarkerSet,
  keep: readonly string[],
): Reading<Header | undefined> {
  yield* reader.skipSpace()
  const start = reader.position
  const marker = yield* findMarker(reader, until, start + reader.limits.maxHeader + 1)
  if (marker === undefined) return undefined
  const text = reader.input.slice(start, reader.position)
  if (!keep.includes(marker.stem)) reader.position = reader.matchEnd
  return { start, text }
}

/** A word between spaces is prose: `between <tool_call> and </tool_call>`. */
function isSpaced({ input }: Reader, { start, text }: Header): boolean {
  const before = input.codeAt(start - 1)
  return before === code.space || before === code.tab || text.endsWith(' ')
}

function toOpening(header: string, pattern: RegExp): Opening | undefined {
  const groups = pattern.exec(header)?.groups
  const { name, id } = groups ?? {}
  if (name === undefined) return undefined
  return {
    name,
    attributes: new Map(),
    ...(id !== undefined && { metadata: { call_id: id } }),
  }
}

/** Compiles blocks inside a block. */
export function compileWrapper(body: WrapperBody, compileBody: CompileBody): BodyReader {
  const blocks = compileBlocks(body.blocks, compileBody)
  const close = body.close.map((mark) => Marker.of(mark))
  const set = new MarkerSet([...blocks.keys(), ...close])
  return function* (reader) {
    const wrapper = new WrapperReader(reader, blocks, close, set, body.isLoose ?? false)
    if (body.isLoose === true) reader.accept()
    else if (!(yield* wrapper.readNext())) return wrapper.closed
    while (yield* wrapper.readNext());
    return true
  }
}

class WrapperReader {
  /** The closing marker has been read, or the stream ended. */
  closed = false
  readonly #reader: Reader
  readonly #blocks: OpenerTable
  readonly #close: readonly Marker[]
  readonly #set: MarkerSet
  readonly #isLoose: boolean
  #isBegun = false

  constructor(
    reader: Reader,
    blocks: OpenerTable,
    close: readonly Marker[],
    set: MarkerSet,
    isLoose: boolean,
  ) {
    this.#reader = reader
    this.#blocks = blocks
    this.#close = close
    this.#set = set
    this.#isLoose = isLoose
  }

  /** Reads one block; returns false if none follows, and then nothing is read. */
  *readNext(): Reading<boolean> {
    const reader = this.#reader
    const { position } = reader
    yield* reader.skipSpace()
    const marker = yield* reader.match(this.#set.markers)
    if (marker !== undefined && this.#close.includes(marker)) return this.#finish(reader.matchEnd)
    if (marker !== undefined && (yield* this.#readBlock(marker))) return true
    const isOver = reader.input.ended && reader.position >= reader.input.end
    if (isOver && (this.#isBegun || this.#isLoose)) return this.#finish(reader.position)
    if (this.#isLoose) return yield* this.#passText()
    reader.position = position
    return false
  }

  *#readBlock(marker: Marker): Reading<boolean> {
    const isBlock = yield* readBlock(this.#reader, this.#blocks, [marker], this.#reader.position)
    this.#isBegun ||= isBlock
    return isBlock
  }

  #finish(position: number): false {
    this.#reader.position = position
    this.#reader.accept()
    this.closed = true
    return false
  }

  /** Passes text between the blocks; the wrapper continues after it. */
  *#passText(): Reading<boolean> {
    const reader = this.#reader
    reader.accept()
    const scan = new Scan(this.#set, reader.textSink)
    scan.start(reader.position)
    // The text here has just been rejected as a block.
    scan.foundAt = reader.position
    scan.reject()
    yield scan
    reader.position = scan.foundAt
    return scan.found.length > 0
  }
}
