import { Marker } from './marker.ts'
import { code } from '../characters.ts'
import type { Reader } from './reader.ts'
import { MarkerSet } from './marker-set.ts'
import { Scan } from './scan.ts'
import type { Reading, Sink } from './step.ts'

/** What a marked value is made of. */
export interface MarkedShape {
  /** What closes the argument. */
  readonly close: Marker
  /** Pairs such as `__START_CONTENT__`, `__END_CONTENT__`. */
  readonly markers: readonly (readonly [open: string, close: string])[]
  /** What closes what is around the argument. */
  readonly parents: readonly Marker[]
}

const CDATA: readonly [string, string] = ['<![CDATA[', ']]>']

/**
 * Reads content whose first thing is a marker or CDATA, without them. Undefined if it is neither, and then
 * nothing was accepted; false if the stream ended inside.
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

/** After `]]>` nothing but space may come before the argument's end. */
function* readCharacterData(
  reader: Reader,
  sink: Sink,
  { close }: MarkedShape,
  endMark: Marker,
): Reading<boolean> {
  reader.accept()
  if ((yield* reader.passUntil(new MarkerSet([endMark]), sink)) === undefined) return false
  reader.position = reader.matchEnd
  reader.accept()
  const found = yield* reader.passUntil(new MarkerSet([close]))
  reader.position = reader.matchEnd
  reader.accept()
  return found !== undefined
}

/**
 * Reads up to the end marker before the argument's end; if the end marker was forgotten, up to the end of the
 * argument before that of its parent, without the last line break and indent.
 */
function* readBetween(
  reader: Reader,
  sink: Sink,
  { close, parents }: MarkedShape,
  endMark: Marker,
): Reading<boolean> {
  reader.accept()
  const trimmer = new LastLineTrimmer(sink, reader.limits.maxSpace)
  const scan = new Scan(new MarkerSet([endMark, close]), trimmer)
  scan.start(reader.position)
  for (;;) {
    yield scan
    const marker = scan.found[0]
    reader.position = scan.foundAt
    if (marker === undefined) break
    const end = scan.endOf(marker, reader.tape)
    const followers = marker === endMark ? [close] : parents
    if ((yield* reader.lookAfter(followers, end)) !== 'other') {
      if (marker === endMark) trimmer.release()
      reader.position = end
      if (marker === endMark) yield* passClose(reader, close)
      reader.accept()
      return true
    }
    scan.reject()
  }
  trimmer.release()
  return false
}

/** Moves over the closing tag after the end marker, if the stream got so far. */
function* passClose(reader: Reader, close: Marker): Reading<void> {
  yield* reader.skipSpace()
  if ((yield* reader.match([close])) !== undefined) reader.position = reader.matchEnd
}

const LAST_LINE = /\r?\n[ \t]*$|\r$/

/** Holds back the last line break and what is blank after it. */
class LastLineTrimmer implements Sink {
  readonly #sink: Sink
  readonly #limit: number
  #held = ''

  constructor(sink: Sink, limit: number) {
    this.#sink = sink
    this.#limit = limit
  }

  text(piece: string): void {
    const text = this.#held + piece
    const tail = text.slice(-this.#limit)
    const last = LAST_LINE.exec(tail)
    const cut = last === null ? text.length : text.length - tail.length + last.index
    this.#held = text.slice(cut)
    if (cut > 0) this.#sink.text(text.slice(0, cut))
  }

  release(): void {
    if (this.#held !== '') this.#sink.text(this.#held)
    this.#held = ''
  }
}
