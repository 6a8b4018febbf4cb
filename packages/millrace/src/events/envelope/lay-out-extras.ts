import { MillraceError } from '../../errors/index.ts'
import type { JsonValue } from '../../json/index.ts'
import { cutEscaped, utf8Length } from '../../text/index.ts'
import type { Continuation, Extras } from './envelope.ts'
import type { Line } from './line.ts'

/** Minimum useful room in a frame, in bytes. */
const MIN_ROOM = 96
/** Extras of up to this fraction of the limit are repeated on every frame, as in the seed. */
const CARRIED_PART = 4

/** Encoded extra fields: those of every frame, and those of the next frame. */
export interface LaidOutExtras {
  readonly carried: string
  readonly pending: string
}

interface Field {
  readonly name: string
  readonly open: string
  readonly json: string
  readonly kind: Continuation
}

/**
 * Chooses the extras to repeat on every frame. Sends the others before the delta, split if one does not fit into a frame. [CHUNK-4]
 * [CHUNK-5]
 */
export function* layOutExtras(line: Line, extras: Extras): Generator<string, LaidOutExtras> {
  const fields = toFields(extras)
  const small = utf8Length(joined(fields)) <= line.maxBytes / CARRIED_PART
  const isCarried = (field: Field) =>
    small || field.name === 'id' || (field.name === 'name' && isShort(line, field))
  const carried = joined(fields.filter(isCarried))
  if (line.room(carried + line.marker) < MIN_ROOM) throw noRoom(line, 'type, agent and id')
  let pending = ''
  for (const field of fields) {
    if (!isCarried(field)) pending = yield* placeField(line, carried, pending, field)
  }
  return { carried, pending }
}

function toFields(extras: Extras): Field[] {
  return Object.entries(extras)
    .filter(([, value]: [string, JsonValue | undefined]) => value !== undefined)
    .map(([name, value]) => ({
      name,
      open: `,${JSON.stringify(name)}:`,
      json: JSON.stringify(value),
      kind: typeof value === 'string' ? 'text' : 'json',
    }))
}

function joined(fields: readonly Field[]): string {
  return fields.map((field) => field.open + field.json).join('')
}

function isShort(line: Line, field: Field): boolean {
  return utf8Length(field.json) <= line.maxBytes / (2 * CARRIED_PART)
}

/** Adds a field to the current frame or the next one, or splits it over several. */
function* placeField(
  line: Line,
  carried: string,
  pending: string,
  field: Field,
): Generator<string, string> {
  const whole = field.open + field.json
  const needed = utf8Length(whole + line.marker)
  if (needed <= line.room(carried + pending)) return pending + whole
  if (needed > line.room(carried)) return yield* splitField(line, carried, pending, field)
  yield line.compose(false, '', carried + pending + line.marker)
  return whole
}

/** Sends all of a field except its last part, which stays for the current frame. */
function* splitField(
  line: Line,
  carried: string,
  pending: string,
  field: Field,
): Generator<string, string> {
  const text = field.kind === 'text' ? field.json : JSON.stringify(field.json)
  const end = text.length - 1
  const marker = moreOf(line, field)
  let before = pending
  let start = 1
  for (;;) {
    const room = line.room(carried + before + field.open + marker) - 2
    if (room < MIN_ROOM / 2 && before !== '') {
      yield line.compose(false, '', carried + before + line.marker)
      before = ''
      continue
    }
    if (room < MIN_ROOM / 4) throw noRoom(line, `the name of field ${field.open.slice(1, 40)}`)
    const cut = cutEscaped(text, start, end, line.scratch.subarray(0, room))
    const piece = `${before}${field.open}"${text.slice(start, cut)}"`
    if (cut === end) return piece
    yield line.compose(false, '', carried + piece + marker)
    before = ''
    start = cut
  }
}

function moreOf(line: Line, field: Field): string {
  const item = line.marker === '' ? '' : ',"delta":"text"'
  return `,"more":{${JSON.stringify(field.name)}:"${field.kind}"${item}}`
}

function noRoom(line: Line, what: string): MillraceError {
  return new MillraceError(
    'envelope_unsplittable',
    `A frame of at most ${line.maxBytes} bytes has no room for content besides ${what}; shorten it or raise the limit.`,
  )
}
