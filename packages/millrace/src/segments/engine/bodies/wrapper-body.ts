import type { WrapperBody } from '../../format.ts'
import {
  type BodyReader,
  compileBlocks,
  type CompileBody,
  type OpenerTable,
  readBlock,
} from '../block.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import type { Reader, Reading } from '../reader.ts'
import { Scan } from '../scan/scan.ts'

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
