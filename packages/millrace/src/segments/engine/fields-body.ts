import type { CallWriter } from '../calls/call-writer.ts'
import type { FieldsBody } from '../format.ts'
import { type BodyReader, compileOpen, type Opener } from './block.ts'
import { decodeEntities } from '../invocations/decode-entities.ts'
import { type Mark, Marker } from './marker.ts'
import { NewlineTrimmer } from './newline-trimmer.ts'
import type { Opening } from './opening.ts'
import type { Reader } from './reader.ts'
import { MarkerSet, Scan } from './scan.ts'
import type { Reading, Sink } from './step.ts'
import { readMarked } from './marked-value.ts'

/** Compiles arguments in tags of their own. */
export function compileFields(body: FieldsBody): BodyReader {
  const grammar = compileGrammar(body)
  return function* (reader, opening) {
    const name =
      (body.name === undefined ? undefined : opening.attributes.get(body.name)) ?? opening.name
    if (name === '' || !(yield* begins(reader, grammar, opening))) return false
    reader.accept()
    const { metadata } = opening
    const call = reader.call({ name, body: 'fields', ...(metadata !== undefined && { metadata }) })
    const fields = new FieldsReader(reader, call, grammar, reader.contentKeyOf(name))
    if (opening.selfClosing === true) call.end()
    else while (yield* fields.readNext());
    return true
  }
}

interface FieldsGrammar {
  readonly body: FieldsBody
  readonly fields: ReadonlyMap<Marker, Opener>
  readonly end: ReadonlySet<Marker>
  readonly before: ReadonlySet<Marker>
  readonly skip: ReadonlySet<Marker>
  /** Everything that may stand between fields. */
  readonly next: MarkerSet
  /** What may follow the end of the call, if a value's own end is missing. */
  readonly after: readonly Marker[]
  /** Sets for the values, by what closes them. */
  readonly values: Map<string, ValueMarks>
}

/** The markers that matter inside a value. */
interface ValueMarks {
  readonly close: Marker
  readonly set: MarkerSet
}

/** Tags that close values have few names; more than this are not kept. */
const MAX_KEPT_SETS = 64

function compileGrammar(body: FieldsBody): FieldsGrammar {
  const openers = [body.field].flat().flatMap((open) => compileOpen(open, { control: true }))
  const compile = (marks: readonly Mark[] = []) => new Set(marks.map((mark) => Marker.of(mark)))
  const [end, before, skip] = [compile(body.end), compile(body.endsBefore), compile(body.skip)]
  const markers = openers.map(({ marker }) => marker)
  return {
    body,
    fields: new Map(openers.map((opener) => [opener.marker, opener])),
    end,
    before,
    skip,
    next: new MarkerSet([...markers, ...end, ...before, ...skip]),
    after: [...before, ...compile(body.after)],
    values: new Map(),
  }
}

/** A tag is a call only if its arguments or its end follow; one that names the tool may also be all that came. */
function* begins(reader: Reader, grammar: FieldsGrammar, opening: Opening): Reading<boolean> {
  if (opening.selfClosing === true || grammar.body.isCertain === true) return true
  const { position } = reader
  yield* reader.skipSpace()
  const found = yield* reader.match(grammar.next.markers)
  const isOver = reader.tape.ended && reader.position >= reader.tape.end
  reader.position = position
  return found !== undefined || (isOver && grammar.body.isTag !== true)
}

class FieldsReader {
  readonly #reader: Reader
  readonly #call: CallWriter
  readonly #grammar: FieldsGrammar
  readonly #contentKey: string | undefined

  constructor(
    reader: Reader,
    call: CallWriter,
    grammar: FieldsGrammar,
    contentKey: string | undefined,
  ) {
    this.#reader = reader
    this.#call = call
    this.#grammar = grammar
    this.#contentKey = contentKey
  }

  /** Reads what is between fields and one field; false once the call has ended. */
  *readNext(): Reading<boolean> {
    const reader = this.#reader
    const { next, fields, end, before } = this.#grammar
    reader.accept()
    const between = new Scan(next, undefined)
    between.start(reader.position)
    yield between
    reader.position = between.foundAt
    const marker = between.found[0]
    if (marker === undefined) return this.#finish({ complete: false })
    const opener = fields.get(marker)
    if (opener !== undefined) return yield* this.#readField(opener)
    if (!before.has(marker)) {
      reader.position = between.endOf(marker, reader.tape)
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
    const { body } = this.#grammar
    const key =
      (body.key === undefined ? undefined : opening.attributes.get(body.key)) ?? opening.name
    this.#call.beginField(key, body.type?.(opening))
    const isWhole = opening.selfClosing === true || (yield* this.#readValue(key, opening))
    // A value that was cut is not ended: `4` may be the beginning of `42`.
    if (!isWhole) return this.#finish({ complete: false })
    this.#call.endField()
    return true
  }

  /** Passes a value on; false if the stream ended inside it. */
  *#readValue(key: string, opening: Opening): Reading<boolean> {
    const { body } = this.#grammar
    const marks = this.#marksOf(opening)
    const sink: Sink = { text: (piece) => this.#call.fieldText(piece) }
    if (body.xml === undefined) {
      if (body.trim !== 'newline') return yield* this.#passValue(marks, sink)
      const trimmer = new NewlineTrimmer(sink)
      const isWhole = yield* this.#passValue(marks, trimmer)
      trimmer.finish(isWhole)
      return isWhole
    }
    if (key === this.#contentKey) return yield* this.#passContent(marks, sink, body.xml.markers)
    const collected = new Collector(this.#reader.limits.maxMetadata)
    const isWhole = yield* this.#passValue(marks, collected)
    sink.text(decodeEntities(collected.value.trim()))
    return isWhole
  }

  /** Content may be wrapped in markers or CDATA, which are not part of it. */
  *#passContent(
    marks: ValueMarks,
    sink: Sink,
    markers: readonly (readonly [string, string])[],
  ): Reading<boolean> {
    const followers = this.#grammar.next.markers
    const parents = [...this.#grammar.skip, ...this.#grammar.end, ...this.#grammar.before]
    const marked = yield* readMarked(this.#reader, sink, { close: marks.close, markers, parents })
    if (marked !== undefined) return marked
    return yield* this.#passValue(marks, sink, followers)
  }

  *#passValue(
    { set, close }: ValueMarks,
    sink: Sink,
    followers = this.#grammar.next.markers,
  ): Reading<boolean> {
    const reader = this.#reader
    const scan = new Scan(set, sink)
    scan.start(reader.position)
    for (;;) {
      yield scan
      const marker = scan.found[0]
      reader.position = scan.foundAt
      if (marker === undefined) return false
      const end = scan.endOf(marker, reader.tape)
      if (marker === close) {
        if (yield* reader.isFollowedBy(followers, end)) {
          reader.position = end
          reader.accept()
          return true
        }
      } else if (yield* this.#endsValue(marker, end)) return true
      scan.reject()
    }
  }

  /** Whether a value without an end of its own is over at a marker. */
  *#endsValue(marker: Marker, end: number): Reading<boolean> {
    const opener = this.#grammar.fields.get(marker)
    const reader = this.#reader
    const { position } = reader
    if (opener === undefined) return yield* reader.isFollowedBy(this.#grammar.after, end)
    const opening = yield* opener.read(reader)
    reader.position = position
    return opening !== undefined
  }

  #marksOf({ name }: Opening): ValueMarks {
    const { body, values, fields, end, before } = this.#grammar
    const kept = values.get(name)
    if (kept !== undefined) return kept
    const close = Marker.of(
      body.close === 'tag' ? { endTag: name, anyCase: body.anyCase ?? false } : body.close,
    )
    const implicit = body.isImplicit === true ? [...fields.keys(), ...end, ...before] : []
    const marks = { close, set: new MarkerSet([close, ...implicit]) }
    if (values.size < MAX_KEPT_SETS) values.set(name, marks)
    return marks
  }

  #finish(payload?: { complete: false }): false {
    this.#call.end(payload)
    return false
  }
}

/** Keeps a value up to a limit. */
class Collector implements Sink {
  value = ''
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  text(piece: string): void {
    if (this.value.length < this.#limit)
      this.value += piece.slice(0, this.#limit - this.value.length)
  }
}
