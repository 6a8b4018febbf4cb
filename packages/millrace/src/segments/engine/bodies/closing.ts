import type { CallWriter } from '../../calls/call-writer.ts'
import type { Mark } from '../../format.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import type { JsonScan } from '../scan/json-scan.ts'
import type { Reader, Reading } from '../reader.ts'

/** The markers that end a block of JSON. */
export interface Closing {
  /** Read as part of the block. */
  readonly close: readonly Marker[]
  /** Closing markers of the parent, which are not read. */
  readonly before: readonly Marker[]
  readonly all: readonly Marker[]
  readonly set: MarkerSet
}

/** Compiles the markers that end a block of JSON. */
export function compileClosing(close: readonly Mark[] = [], before: readonly Mark[] = []): Closing {
  const closers = close.map((mark) => Marker.of(mark))
  const parents = before.map((mark) => Marker.of(mark))
  const all = [...closers, ...parents]
  return { close: closers, before: parents, all, set: new MarkerSet(all) }
}

/**
 * Reads the closing marker after a value and the space before it; without one, the text continues at the value's
 * end.
 */
export function* takeCloser(reader: Reader, { close }: Closing): Reading<void> {
  const { position } = reader
  yield* reader.skipSpace()
  const found = yield* reader.match(close)
  reader.position = found === undefined ? position : reader.matchEnd
  reader.accept()
}

/**
 * Ends a call whose JSON broke: brackets missing before the closing marker are added; any other text is malformed
 * and kept unchanged up to the marker.
 */
export function* endBroken(
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
export function* passMalformed(reader: Reader, call: CallWriter, closing: Closing): Reading<void> {
  const { input } = reader
  if (closing.all.length === 0) {
    const isOver = input.ended && reader.position >= input.end
    call.end(isOver ? { complete: false } : { malformed: true })
    return
  }
  const found = yield* reader.passUntil(closing.set, { text: (piece) => call.json(piece) })
  call.end(found === undefined ? { complete: false } : { malformed: true })
}
