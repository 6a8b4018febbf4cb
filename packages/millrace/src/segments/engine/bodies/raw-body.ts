import type { JsonObject } from '../../../json/index.ts'
import type { RawBody } from '../../format.ts'
import { coerceArgument } from '../../invocations/coerce.ts'
import type { SegmentType } from '../../segment-event.ts'
import type { BodyReader } from '../block.ts'
import { Marker, MarkerSet } from '../scan/marker.ts'
import { NewlineTrimmer } from '../scan/newline-trimmer.ts'
import type { Opening, Reader, Reading } from '../reader.ts'
import type { SegmentWriter } from '../segment-output.ts'
import { Scan } from '../scan/scan.ts'
import type { Sink } from '../scan/step.ts'

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
  const close = raw.close.map((mark) => Marker.of(mark))
  const before = (raw.endsBefore ?? []).map((mark) => Marker.of(mark))
  const absorb = (raw.absorb ?? []).map((mark) => Marker.of(mark))
  const [opaqueOpen, opaqueClose] = (raw.opaque ?? []).map((mark) => Marker.of(mark))
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
