import type { CallWriter } from '../../calls/call-writer.ts'
import type { SegmentEndPayload } from '../../segment-event.ts'
import { decodeEntities } from '../../invocations/decode-entities.ts'
import { type Opener, compileOpen } from '../compile-open.ts'
import { foldText, code } from '../../characters.ts'
import { Marker, MarkerSet, toMarkers } from '../scan/marker.ts'
import { NewlineTrimmer } from './raw-body.ts'
import { type Opening, type Reader, type Reading, findMarker } from '../reader.ts'
import { Scan } from '../scan/scan.ts'
import type { Sink } from '../scan/input-buffer.ts'
import type { FieldsBody } from '../../format.ts'
import type { BodyReader } from '../block.ts'

interface ValueMarks {
  readonly close: Marker
  readonly set: MarkerSet
}

interface FieldsGrammar {
  readonly body: FieldsBody
  readonly fields: ReadonlyMap<Marker, Opener>
  readonly end: ReadonlySet<Marker>
  readonly before: ReadonlySet<Marker>
  /** Every marker that may occur between fields. */
  readonly next: MarkerSet
  /** Markers that end an argument without a closer: outer closers, the next call, the next `<arg`. */
  readonly around: readonly Marker[]
  /** Markers that may follow the end of the call, if a value has no end. */
  readonly after: readonly Marker[]
  marksOf(opening: Opening): ValueMarks
}

/** Maximum number of cached sets; tags that close values have few names. */
const MAX_KEPT_SETS = 64

function compileFieldsGrammar(body: FieldsBody): FieldsGrammar {
  const openers = [body.field].flat().flatMap((open) => compileOpen(open, { control: true }))
  const [end, before, skip] = [
    toMarkers(body.end),
    toMarkers(body.endsBefore),
    toMarkers(body.skip),
  ]
  const markers = openers.map(({ marker }) => marker)
  const implicit = body.isImplicit === true ? [...markers, ...end, ...before] : []
  const skippedEnds = (body.skip ?? []).filter(
    (mark) => typeof mark === 'object' && 'endTag' in mark,
  )
  // A tag of any name is no evidence: the text of a document has such tags.
  const named = markers.filter(({ stem }) => stem !== '<')
  const kept = new Map<string, ValueMarks>()
  return {
    body,
    fields: new Map(openers.map((opener) => [opener.marker, opener])),
    end: new Set(end),
    before: new Set(before),
    next: new MarkerSet([...markers, ...end, ...before, ...skip]),
    around: [...end, ...before, ...toMarkers(skippedEnds), ...named],
    after: [...before, ...toMarkers(body.after)],
    marksOf({ name }) {
      // Not the name itself, which would keep its chunk alive.
      const key = body.close === 'tag' ? `</${name}` : ''
      const known = kept.get(key)
      if (known !== undefined) return known
      const close = compileClose(body, name)
      const marks = { close, set: new MarkerSet([close, ...implicit]) }
      if (kept.size < MAX_KEPT_SETS) kept.set(key, marks)
      return marks
    },
  }
}

function compileClose({ close, anyCase = false }: FieldsBody, name: string): Marker {
  return Marker.of(close === 'tag' ? { endTag: name, anyCase } : close)
}

class FieldsReader {
  readonly #reader: Reader
  readonly #call: CallWriter
  readonly #grammar: FieldsGrammar
  readonly #tool: string
  /** The parameters without an argument so far, if the parameters are known. */
  readonly #missing: Set<string> | undefined
  /** A value was longer than the limit. */
  #isMalformed = false

  constructor(reader: Reader, call: CallWriter, grammar: FieldsGrammar, tool: string) {
    this.#reader = reader
    this.#call = call
    this.#grammar = grammar
    this.#tool = tool
    const parameters = reader.parametersOf(tool)
    this.#missing = parameters && new Set(Object.keys(parameters))
  }

  /** Reads the text between fields and one field; returns false once the call has ended. */
  *readNext(): Reading<boolean> {
    const reader = this.#reader
    const { next, fields, end, before } = this.#grammar
    reader.accept()
    const marker = yield* reader.passUntil(next)
    if (marker === undefined) return this.#finish({ complete: false })
    const opener = fields.get(marker)
    if (opener !== undefined) return yield* this.#readField(opener)
    if (!before.has(marker)) {
      reader.position = reader.matchEnd
      reader.accept()
    }
    return end.has(marker) || before.has(marker) ? this.#finish() : true
  }

  *#readField(opener: Opener): Reading<boolean> {
    const reader = this.#reader
    const { position } = reader
    const opening = yield* opener.read(reader)
    if (opening === undefined) {
      reader.position = position + 1
      return true
    }
    reader.accept()
    const key = this.#keyOf(opening)
    this.#missing?.delete(key)
    this.#call.beginField(key, this.#grammar.body.type?.(opening))
    const isWhole = opening.selfClosing === true || (yield* this.#readValue(key, opening))
    // A value that was cut is not ended: `4` may be the beginning of `42`.
    if (!isWhole) return this.#finish({ complete: false })
    this.#call.endField()
    return true
  }

  /** Returns the key as written, or the tool's spelling if the format ignores case. */
  #keyOf({ attributes, name }: Opening): string {
    const { key, anyCase } = this.#grammar.body
    const written = (key === undefined ? undefined : attributes.get(key)) ?? name
    const folded = anyCase === true ? foldText(written) : written
    return this.#reader.hasArgument(this.#tool, folded) ? folded : written
  }

  /** Passes a value on, without the markers or CDATA around it; returns false if the stream ended inside it. */
  *#readValue(key: string, opening: Opening): Reading<boolean> {
    const { body, marksOf, around: ends } = this.#grammar
    const marks = marksOf(opening)
    const sink: Sink = { text: (piece) => this.#call.fieldText(piece) }
    if (body.xml === undefined) return yield* this.#passTrimmed(marks, sink)
    const { markers } = body.xml
    const marked = yield* readMarked(this.#reader, sink, { close: marks.close, ends, markers })
    if (marked !== undefined) return marked
    const isContent = key === this.#reader.projectionOf(this.#tool)?.content
    if (isContent) return yield* this.#passValue(marks, sink)
    const { maxMetadata, maxHeld } = this.#reader.limits
    const limit = Math.max(maxMetadata, maxHeld)
    // A longer value is dropped, because a part could be mistaken for the whole.
    let value: string | undefined = ''
    const keep = (piece: string): void => {
      value = value === undefined || value.length + piece.length > limit ? undefined : value + piece
    }
    const isWhole = yield* this.#passValue(marks, { text: keep })
    if (value === undefined) this.#isMalformed = true
    else sink.text(decodeEntities(value.trim()))
    return isWhole
  }

  *#passTrimmed(marks: ValueMarks, sink: Sink): Reading<boolean> {
    if (this.#grammar.body.trim !== 'newline') return yield* this.#passValue(marks, sink)
    const trimmer = new NewlineTrimmer(sink)
    const isWhole = yield* this.#passValue(marks, trimmer)
    trimmer.finish(isWhole)
    return isWhole
  }

  *#passValue({ set, close }: ValueMarks, sink: Sink): Reading<boolean> {
    const reader = this.#reader
    const scan = new Scan(set, sink)
    scan.start(reader.position)
    for (;;) {
      yield scan
      const marker = scan.found[0]
      reader.position = scan.foundAt
      if (marker === undefined) return false
      const end = scan.endOf(marker, reader.input)
      if (marker === close) {
        if ((yield* reader.lookAfter(this.#grammar.next.markers, end)) !== 'other') {
          reader.position = end
          reader.accept()
          return true
        }
      } else if (yield* this.#endsValue(marker, end)) return true
      scan.reject()
    }
  }

  /** Checks whether a value without its own end is over at a marker. */
  *#endsValue(marker: Marker, end: number): Reading<boolean> {
    const reader = this.#reader
    const opener = this.#grammar.fields.get(marker)
    // The end of the stream is no evidence: it may have cut the value right after text that only looks like an end.
    if (opener === undefined)
      return (yield* reader.lookAfter(this.#grammar.after, end)) === 'marker'
    const { position } = reader
    const opening = yield* opener.read(reader)
    reader.position = position
    return opening !== undefined && this.#isExpected(this.#keyOf(opening))
  }

  /** If the tool's parameters are known, only one without an argument so far can be the next argument. */
  #isExpected(key: string): boolean {
    return this.#missing === undefined || this.#missing.has(key)
  }

  #finish(payload: SegmentEndPayload = {}): false {
    this.#call.end(this.#isMalformed ? { ...payload, malformed: true } : payload)
    return false
  }
}

/** Compiles arguments in tags of their own. */
export function compileFields(body: FieldsBody): BodyReader {
  const grammar = compileFieldsGrammar(body)
  return function* (reader, opening) {
    const { attributes, metadata, selfClosing } = opening
    const name = (body.name === undefined ? undefined : attributes.get(body.name)) ?? opening.name
    if (name === '' || !(yield* begins(reader, grammar, opening))) return false
    reader.accept()
    const call = reader.call({ name, body: 'fields', ...(metadata !== undefined && { metadata }) })
    const fields = new FieldsReader(reader, call, grammar, name)
    if (selfClosing === true) call.end()
    else while (yield* fields.readNext());
    return true
  }
}

/** A tag is a call only if its arguments or its end follow; a tag that names the tool may also be at the end of the stream. */
function* begins(reader: Reader, grammar: FieldsGrammar, opening: Opening): Reading<boolean> {
  const { body, next } = grammar
  if (opening.selfClosing === true || body.isCertain === true) return true
  const { position } = reader
  yield* reader.skipSpace()
  const found = yield* reader.match(next.markers)
  const isCut = body.isTag !== true && reader.isCutAt(next.markers)
  reader.position = position
  return found !== undefined || isCut
}

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
 * Reads content that begins with a marker or CDATA, without them. Returns undefined if it begins with neither, and then nothing was
 * accepted; false if the stream ended inside.
 */
function* readMarked(reader: Reader, sink: Sink, shape: MarkedShape): Reading<boolean | undefined> {
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
 * Passes all text up to the last end marker before the argument's end, closing tags included, and drops the text between the two [SEG-24].
 * Returns false if the stream ends before an end marker.
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
