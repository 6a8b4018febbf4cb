import type { CallWriter } from '../../calls/call-writer.ts'
import { JsonStringDecoder } from '../../calls/json-string-decoder.ts'
import type { ArgumentsBody, Mark } from '../../format.ts'
import type { BodyReader } from '../block.ts'
import { code } from '../../characters.ts'
import type { InputBuffer, Sink, Step } from '../scan/input-buffer.ts'
import { JsonScan } from '../scan/json-scan.ts'
import { Marker, MarkerSet, toMarkers } from '../scan/marker.ts'
import type { Reader, Reading } from '../reader.ts'

/** Compiles JSON arguments of a call that the opener named. */
export function compileArguments(body: ArgumentsBody): BodyReader {
  const closing = compileClosing(body.close, body.endsBefore)
  return function* (reader, opening) {
    const name = body.name === undefined ? opening.name : (opening.attributes.get(body.name) ?? '')
    if (name === '') return false
    reader.accept()
    const { metadata } = opening
    const call = reader.call({ name, ...(metadata !== undefined && { metadata }) })
    if (opening.selfClosing === true) {
      call.end()
      return true
    }
    yield* reader.skipSpace()
    if ((yield* reader.match(closing.all)) !== undefined) call.end()
    else if (yield* passArguments(reader, call, closing)) call.end()
    yield* takeCloser(reader, closing)
    return true
  }
}

/** Checks for the start of an object or of JSON in a string; accepts a list too, which is JSON but not arguments. */
export function beginsArguments(unit: number): boolean {
  return unit === code.openBrace || unit === code.openBracket || unit === code.quote
}

/** Null stands for no arguments. */
const NULL = [new Marker('null')]

/** Passes the arguments to the call, decoded if they are JSON in a string; returns false if they were invalid, and the call has ended. */
export function* passArguments(
  reader: Reader,
  call: CallWriter,
  closing: Closing,
): Reading<boolean> {
  const sink = { text: (piece: string) => call.json(piece) }
  const unit = yield* reader.skipSpace()
  reader.accept()
  if (unit === code.quote) return yield* passEncoded(reader, call)
  if ((yield* reader.match(NULL)) !== undefined) {
    reader.position = reader.matchEnd
    reader.accept()
    return true
  }
  if (!beginsArguments(unit)) {
    yield* passMalformed(reader, call, closing)
    return false
  }
  const { maxDepth, maxHeld: maxLook } = reader.limits
  const scan = new JsonScan({ use: sink, maxDepth, maxLook }, reader.position)
  yield scan
  reader.position = scan.position
  if (scan.outcome === 'complete') return true
  yield* endBroken(reader, call, scan, closing)
  return false
}

function* passEncoded(reader: Reader, call: CallWriter): Reading<boolean> {
  reader.position++
  reader.accept()
  const scan = new StringScan({ text: (piece) => call.json(piece) }, reader.position)
  yield scan
  reader.position = scan.position
  if (!scan.isCut) return true
  call.end({ complete: false })
  return false
}

/** Passes the decoded inside of a JSON string to a sink, from after its first quote. */
class StringScan implements Step {
  /** The stream ended inside the string. */
  isCut = false
  /** The position after the closing quote. */
  position: number
  readonly #sink: Sink
  readonly #decoder = new JsonStringDecoder()

  constructor(sink: Sink, position: number) {
    this.#sink = sink
    this.position = position
  }

  advance(input: InputBuffer): boolean {
    const end = this.#decoder.feed(input.text, this.position - input.base)
    this.position = end === -1 ? input.end : input.base + end
    input.pass(this.position, this.#sink, this.#decoder.decoded)
    if (end !== -1) return true
    this.isCut = input.ended
    return input.ended
  }
}

/** The markers that end a block of JSON. */
export interface Closing {
  /** Read as part of the block. */
  readonly close: readonly Marker[]
  /** The markers above, and closing markers of the parent, which are not read. */
  readonly all: readonly Marker[]
  readonly set: MarkerSet
}

/** Compiles the markers that end a block of JSON. */
export function compileClosing(close?: readonly Mark[], before?: readonly Mark[]): Closing {
  const closers = toMarkers(close)
  const all = [...closers, ...toMarkers(before)]
  return { close: closers, all, set: new MarkerSet(all) }
}

/** Reads the closing marker after a value and the space before it; without one, the text continues at the value's end. */
export function* takeCloser(reader: Reader, { close }: Closing): Reading<void> {
  const { position } = reader
  yield* reader.skipSpace()
  const found = yield* reader.match(close)
  reader.position = found === undefined ? position : reader.matchEnd
  reader.accept()
}

/**
 * Ends a call whose JSON broke: brackets missing before the closing marker are added; any other text is malformed and kept unchanged up to
 * the marker.
 */
function* endBroken(
  reader: Reader,
  call: CallWriter,
  scan: JsonScan,
  closing: Closing,
): Reading<void> {
  reader.position = scan.position
  if (scan.outcome === 'cut') {
    call.end({ complete: false })
    return
  }
  if ((yield* reader.match(closing.all)) !== undefined) {
    call.json(scan.missing)
    call.end({ repaired: true })
    return
  }
  yield* passMalformed(reader, call, closing)
}

/** Ends a call whose arguments are not JSON: they are kept unchanged up to the closing marker. */
function* passMalformed(reader: Reader, call: CallWriter, closing: Closing): Reading<void> {
  const { input } = reader
  if (closing.all.length === 0) {
    const isOver = input.ended && reader.position >= input.end
    call.end(isOver ? { complete: false } : { malformed: true })
    return
  }
  const found = yield* reader.passUntil(closing.set, { text: (piece) => call.json(piece) })
  call.end(found === undefined ? { complete: false } : { malformed: true })
}
