import { MillraceError } from '../errors/index.ts'
import type { JsonValue } from '../json/index.ts'
import { cutEscaped, utf8Length } from '../text/index.ts'
import type { Continuation, Extras } from './envelope.ts'
import type { Line } from './line.ts'

/** Below this many bytes a piece is not worth a message of its own. */
const MIN_ROOM = 96
/** Extras up to this part of the limit are repeated on every message, as the seed does. */
const CARRIED_PART = 4

/** Extra fields as encoded text: those on every message, and those that are placed but not sent yet. */
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
 * Decides which extras go on every message, and sends the others ahead of the delta, in pieces where one does
 * not fit into a message. [CHUNK-4] [CHUNK-5]
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

/** Adds a field to the message under way, or to the next one, or cuts it over several. */
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

/** Sends all of a field but its last piece, which is left to the message under way. */
function* splitField(
  line: Line,
  carried: string,
  pending: string,
  field: Field,
): Generator<string, string> {
  const text = field.kind === 'text' ? field.json : JSON.stringify(field.json)
  const end = text.length - 1
  const goesOn = moreOf(line, field)
  let before = pending
  let start = 1
  for (;;) {
    const room = line.room(carried + before + field.open + goesOn) - 2
    if (room < MIN_ROOM / 2 && before !== '') {
      yield line.compose(false, '', carried + before + line.marker)
      before = ''
      continue
    }
    if (room < MIN_ROOM / 4) throw noRoom(line, `the name of field ${field.open.slice(1, 40)}`)
    const cut = cutEscaped(text, start, end, line.scratch.subarray(0, room))
    const piece = `${before}${field.open}"${text.slice(start, cut)}"`
    if (cut === end) return piece
    yield line.compose(false, '', carried + piece + goesOn)
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
    `A message of at most ${line.maxBytes} bytes has no room for content beside ${what}; shorten it or raise the limit.`,
  )
}
