import type { JsonObject } from '../../../json/index.ts'
import type { RawBody } from '../../format.ts'
import { coerceArgument } from '../../calls/typed-json.ts'
import type { SegmentType } from '../../segment-event.ts'
import { type BodyReader, type OpenerTable, readBlock } from '../block.ts'
import { type Marker, MarkerSet, toMarkers } from '../scan/marker.ts'
import type { Opening, Reader, Reading } from '../reader.ts'
import type { SegmentWriter } from '../segment-output.ts'
import { Scan } from '../scan/scan.ts'
import type { Sink } from '../scan/input-buffer.ts'
import { type CodeRules, CodeRegions } from '../scan/code-regions.ts'

/** Creates the reader of a body that is text up to a closing marker. */
export function compileRaw(raw: RawBody): BodyReader {
  const marks = compileMarks(raw)
  return function* (reader, opening) {
    const type = segmentOf(raw, opening)
    if (type === undefined) return false
    reader.accept()
    const isHeader = opening.metadata !== undefined
    const hasBody = opening.selfClosing !== true
    const segment = reader.output.segment(type, metadataOf(raw, opening), { isHeader, hasBody })
    if (hasBody) yield* readContent(reader, segment, raw, marks)
    else segment.end()
    return true
  }
}

interface RawMarks {
  readonly set: MarkerSet
  readonly close: ReadonlySet<Marker>
  readonly absorb: ReadonlySet<Marker>
  readonly opaqueOpen: Marker | undefined
  readonly opaqueClose: MarkerSet | undefined
}

function compileMarks(raw: RawBody): RawMarks {
  const close = toMarkers(raw.close)
  const before = toMarkers(raw.endsBefore)
  const absorb = toMarkers(raw.absorb)
  const [opaqueOpen, opaqueClose] = toMarkers(raw.opaque)
  const opaque = opaqueOpen === undefined ? [] : [opaqueOpen]
  return {
    set: new MarkerSet([...close, ...before, ...absorb, ...opaque]),
    close: new Set(close),
    absorb: new Set(absorb),
    opaqueOpen,
    opaqueClose: opaqueClose === undefined ? undefined : new MarkerSet([opaqueClose]),
  }
}

function segmentOf({ segment }: RawBody, opening: Opening): SegmentType | undefined {
  if (opening.segment !== undefined) return opening.segment
  if (typeof segment === 'string') return segment
  const value = opening.attributes.get(segment.attribute) ?? ''
  return Object.hasOwn(segment.values, value) ? segment.values[value] : undefined
}

function metadataOf({ metadata = {}, types = {} }: RawBody, opening: Opening): JsonObject {
  if (opening.metadata !== undefined) return opening.metadata
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, attribute]) => {
      const value = [attribute]
        .flat()
        .map((name) => opening.attributes.get(name))
        .find((found) => found !== undefined)
      return value === undefined ? [] : [[key, coerceArgument(value, types[key] ?? 'string')]]
    }),
  )
}

function* readContent(
  reader: Reader,
  segment: SegmentWriter,
  { trim }: RawBody,
  marks: RawMarks,
): Reading<void> {
  const trimmer = trim === 'newline' ? new NewlineTrimmer(segment) : undefined
  const sink = trimmer ?? segment
  const scan = new Scan(marks.set, sink)
  scan.start(reader.position)
  for (;;) {
    yield scan
    const marker = scan.found[0]
    reader.position = marker === undefined ? reader.input.end : scan.endOf(marker, reader.input)
    if (marker === undefined) break
    if (marker === marks.opaqueOpen) {
      yield* passOpaque(reader, sink, marks)
      scan.start(reader.position)
    } else if (marks.absorb.has(marker)) {
      reader.accept()
      scan.skip(reader.position)
    } else {
      if (marks.close.has(marker)) reader.accept()
      else reader.position = scan.foundAt
      trimmer?.finish(true)
      segment.end()
      return
    }
  }
  trimmer?.finish(false)
  segment.end({ complete: false })
}

/** Passes on a range, with its delimiters, in which a closing marker is text. */
function* passOpaque(reader: Reader, sink: Sink, { opaqueClose }: RawMarks): Reading<void> {
  if (opaqueClose === undefined) return
  reader.input.pass(reader.position, sink)
  yield* reader.passUntil(opaqueClose, sink)
  reader.position = reader.matchEnd
  reader.input.pass(reader.position, sink)
}

/** The openers of other formats, which may end reasoning. */
export interface Interruptions {
  readonly openers: OpenerTable
  readonly rules: CodeRules
}

/**
 * Compiles reasoning: it has no segment if it is empty, a second opener is absorbed, and a block that opens inside
 * ends it, because models forget the closing tag more often than they rehearse a call.
 */
export function compileReasoning(raw: RawBody, interruptions: () => Interruptions): BodyReader {
  const close = toMarkers(raw.close)
  const absorb = toMarkers(raw.absorb)
  let set: MarkerSet | undefined
  return function* (reader) {
    const { openers, rules } = interruptions()
    set ??= new MarkerSet([...close, ...absorb, ...openers.keys()])
    reader.accept()
    const segment = reader.segment('reasoning', {}, true)
    const scan = new Scan(set, segment, { regions: new CodeRegions(rules, reader.limits.maxHeld) })
    scan.start(reader.position)
    while (yield* continueReasoning(reader, scan, segment)) {
      const marker = scan.found[0]
      if (marker === undefined) continue
      reader.position = scan.endOf(marker, reader.input)
      if (close.includes(marker)) {
        reader.accept()
        segment.end()
        return true
      }
      if (absorb.includes(marker)) {
        reader.accept()
        scan.skip(reader.position)
      } else if (yield* interrupt(reader, scan, segment, openers)) return true
    }
    return true
  }
}

/** Continues the reasoning; returns false once the stream, and with it the reasoning, has ended. */
function* continueReasoning(reader: Reader, scan: Scan, segment: SegmentWriter): Reading<boolean> {
  yield scan
  if (scan.found.length > 0) return true
  reader.position = reader.input.end
  segment.end({ complete: false })
  return false
}

function* interrupt(
  reader: Reader,
  scan: Scan,
  segment: SegmentWriter,
  openers: OpenerTable,
): Reading<boolean> {
  let isOver = false
  reader.output.interrupt = () => {
    isOver = true
    segment.end()
  }
  if (yield* readBlock(reader, openers, scan.found, scan.foundAt)) return true
  reader.output.interrupt = undefined
  if (!isOver) scan.reject()
  return isOver
}

const LEADING = /^\r?\n/
const TRAILING = /\r?\n$|\r$/

/** Drops one line break at the start of a value and one at its end, independent of chunk boundaries. */
export class NewlineTrimmer implements Sink {
  readonly #sink: Sink
  #held = ''
  #begun = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  text(piece: string): void {
    let text = this.#held + piece
    this.#held = ''
    if (!this.#begun && text !== '\r') {
      text = text.replace(LEADING, '')
      this.#begun = true
    }
    const trailing = TRAILING.exec(text)
    if (trailing !== null) {
      this.#held = trailing[0]
      text = text.slice(0, trailing.index)
    }
    if (text !== '') this.#sink.text(text)
  }

  /** Ends the value; a value that was cut keeps the held line break. */
  finish(isWhole: boolean): void {
    const held = this.#held
    this.#held = ''
    if (held !== '' && (!isWhole || held === '\r')) this.#sink.text(held)
  }
}
