import type { FieldsBody } from '../../format.ts'
import { compileOpen, type Opener } from '../compile-open.ts'
import { type Mark, Marker, MarkerSet } from '../scan/marker.ts'
import type { Opening } from '../reader.ts'

/** The markers inside a value. */
export interface ValueMarks {
  readonly close: Marker
  readonly set: MarkerSet
}

/** The compiled grammar of arguments in tags. */
export interface FieldsGrammar {
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

/** Compiles the notation of a call's arguments. */
export function compileFieldsGrammar(body: FieldsBody): FieldsGrammar {
  const openers = [body.field].flat().flatMap((open) => compileOpen(open, { control: true }))
  const [end, before, skip] = [compile(body.end), compile(body.endsBefore), compile(body.skip)]
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
    around: [...end, ...before, ...compile(skippedEnds), ...named],
    after: [...before, ...compile(body.after)],
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

function compile(marks: readonly Mark[] = []): Marker[] {
  return marks.map((mark) => Marker.of(mark))
}

function compileClose({ close, anyCase = false }: FieldsBody, name: string): Marker {
  return Marker.of(close === 'tag' ? { endTag: name, anyCase } : close)
}
