import { code } from '../../characters.ts'
import { findMarker } from '../scan/find-marker.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import type { Reader, Reading } from '../reader.ts'
import { Scan } from '../scan/scan.ts'
import type { Sink } from '../scan/step.ts'

interface MarkedShape {
  /** Closes the argument. */
  readonly close: Marker
  /** Other markers that end the argument and are not read. */
  readonly ends: readonly Marker[]
  /** Pairs such as `__START_CONTENT__`, `__END_CONTENT__`. */
  readonly markers: readonly (readonly [open: string, close: string])[]
}

const CDATA: readonly [string, string] = ['<![CDATA[', ']]>']

/**
 * Reads content that begins with a marker or CDATA, without them. Returns undefined if it begins with neither, and
 * then nothing was accepted; false if the stream ended inside.
 */
export function* readMarked(
  reader: Reader,
  sink: Sink,
  shape: MarkedShape,
): Reading<boolean | undefined> {
  const { position } = reader
  yield* reader.skipSpace()
  for (const [open, close] of [CDATA, ...shape.markers]) {
    if ((yield* reader.match([new Marker(open)])) === undefined) continue
    reader.position = reader.matchEnd
    const endMark = new Marker(close)
    if (open === CDATA[0]) return yield* readCharacterData(reader, sink, shape, endMark)
    yield* skipLineBreak(reader)
    return yield* readBetween(reader, sink, shape, endMark)
  }
  reader.position = position
  return undefined
}

function* skipLineBreak(reader: Reader): Reading<void> {
  const { position } = reader
  if ((yield* reader.peek()) === code.return) reader.position++
  if ((yield* reader.peek()) === code.newline) reader.position++
  else reader.position = position
}

/** Passes all text up to `]]>`; text between it and the argument's end is dropped. */
function* readCharacterData(
  reader: Reader,
  sink: Sink,
  { close, ends }: MarkedShape,
  endMark: Marker,
): Reading<boolean> {
  reader.accept()
  if ((yield* reader.passUntil(new MarkerSet([endMark]), sink)) === undefined) return false
  reader.position = reader.matchEnd
  reader.accept()
  const found = yield* reader.passUntil(new MarkerSet([close, ...ends]))
  if (found === close) reader.position = reader.matchEnd
  reader.accept()
  return found !== undefined
}

/**
 * Passes all text up to the last end marker before the argument's end, closing tags included, and drops the text
 * between the two [SEG-24]. Returns false if the stream ends before an end marker.
 */
function* readBetween(
  reader: Reader,
  sink: Sink,
  { close, ends }: MarkedShape,
  endMark: Marker,
): Reading<boolean> {
  reader.accept()
  const after = new MarkerSet([endMark, close, ...ends])
  const scan = new Scan(new MarkerSet([endMark]), sink)
  scan.start(reader.position)
  for (;;) {
    yield scan
    reader.position = scan.foundAt
    if (scan.found.length === 0) return false
    const limit = scan.endOf(endMark, reader.input) + reader.limits.maxHeld
    // Two end markers may overlap: in `>>>` the marker `>>` occurs twice.
    reader.position = scan.foundAt + 1
    const found = yield* findMarker(reader, after, limit)
    if (found !== endMark) {
      if (found === close) reader.position = reader.matchEnd
      reader.accept()
      return true
    }
    scan.reject()
  }
}
