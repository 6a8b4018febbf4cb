import { badRequest, MillraceError } from '../../errors/index.ts'
import { cutEscaped, utf8Length } from '../../text/index.ts'
import { traitsOf } from '../catalog/find-traits.ts'
import { encodeEnvelope, type Extras, type Continuation } from './envelope.ts'
import type { JsonValue } from '../../json/index.ts'

/** Default maximum size of a frame in UTF-8 bytes. [CHUNK-1] */
export const MAX_SSE_CHUNK_BYTES = 2048

/** Minimum limit that leaves room for the fields of every frame. */
export const MIN_SSE_CHUNK_BYTES = 512

/** Names that extra fields cannot have, because they have a meaning on every frame. */
const RESERVED_NAMES = ['type', 'agent', 'final', 'delta', 'more', 'span']

/** UTF-16 units that fit even at this size in UTF-8 need no measuring. */
const MAX_BYTES_PER_UNIT = 3

/** A payload to send as one block or item. */
export interface Payload {
  readonly type: string
  readonly agent: string
  readonly payload: string
  readonly extras?: Extras
  /** Whether the last frame closes the block; an incremental block is closed by a separate frame. */
  readonly final?: boolean
  readonly maxBytes?: number
}

/**
 * Splits a payload into encoded frames within the limit; joining them restores the payload and the extras exactly. [CHUNK-1] to [CHUNK-6]
 */
export function* chunkPayload(input: Payload): Generator<string, void, undefined> {
  const { type, agent, payload, extras = {}, final = true, maxBytes = MAX_SSE_CHUNK_BYTES } = input
  checkLimit(maxBytes)
  checkNames(extras)
  if (payload.length <= maxBytes) {
    const whole = encodeEnvelope({ ...extras, type, agent, final, delta: payload })
    // Measured as if not final, which is a byte longer, so that the text fits in either case.
    if (fits(whole, maxBytes - Number(final))) return yield whole
  }
  // Any frame may be the last one, so each leaves room for the closing fields.
  const { interrupted, ...others } = extras
  const closing = interrupted === true ? ',"interrupted":true' : ''
  const isItem = traitsOf(type)?.isItem === true
  const line = createLine(type, agent, maxBytes - utf8Length(closing), isItem)
  const laidOut = yield* layOutExtras(line, closing === '' ? extras : others)
  yield* splitDelta(line, payload, { ...laidOut, closing }, final)
}

function checkLimit(maxBytes: number): void {
  if (Number.isInteger(maxBytes) && maxBytes >= MIN_SSE_CHUNK_BYTES) return
  throw badRequest(
    `The frame limit is ${maxBytes} bytes; it must be a whole number of at least ${MIN_SSE_CHUNK_BYTES}.`,
  )
}

function checkNames(extras: Extras): void {
  const taken = RESERVED_NAMES.find((name) => Object.hasOwn(extras, name))
  if (taken === undefined) return
  throw badRequest(`An extra field cannot be named \`${taken}\`; rename it.`)
}

function fits(line: string, maxBytes: number): boolean {
  return line.length * MAX_BYTES_PER_UNIT <= maxBytes || utf8Length(line) <= maxBytes
}

interface EncodedExtras extends LaidOutExtras {
  /** Fields of the last frame only. [LIFE-14] */
  readonly closing: string
}

function* splitDelta(
  line: Line,
  payload: string,
  { carried, pending, closing }: EncodedExtras,
  final: boolean,
): Generator<string, void> {
  const escaped = JSON.stringify(payload)
  const end = escaped.length - 1
  let fields = carried + pending
  let start = 1
  for (;;) {
    const room = Math.max(0, line.room(fields + line.marker))
    const cut = cutEscaped(escaped, start, end, line.scratch.subarray(0, room))
    const piece = escaped.slice(start, cut)
    const isLast = cut === end
    yield line.compose(isLast && final, piece, isLast ? fields + closing : fields + line.marker)
    if (isLast) return
    fields = carried
    start = cut
  }
}

/** Minimum useful room in a frame, in bytes. */
const MIN_ROOM = 96
/** Extras of up to this fraction of the limit are repeated on every frame, as in the seed. */
const CARRIED_PART = 4

interface LaidOutExtras {
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
function* layOutExtras(line: Line, extras: Extras): Generator<string, LaidOutExtras> {
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

/** Marks each frame of an item except the last. [CHUNK-5] */
const ITEM_CONTINUES = ',"more":{"delta":"text"}'

type Line = ReturnType<typeof createLine>

/** Composes the frames of one block or item within their limit. */
function createLine(type: string, agent: string, maxBytes: number, isItem: boolean) {
  const head = `{"type":${JSON.stringify(type)},"agent":${JSON.stringify(agent)},"final":`
  const fixedBytes = utf8Length(`${head}false,"delta":""}`)
  return {
    maxBytes,
    /** The field that marks an incomplete item; empty for blocks. */
    marker: isItem ? ITEM_CONTINUES : '',
    /** Buffer for the encoded delta, reused for each frame. */
    scratch: new Uint8Array(maxBytes),
    /** Returns the bytes left for `delta` besides encoded extra fields. */
    room: (fields: string): number => maxBytes - fixedBytes - utf8Length(fields),
    compose: (final: boolean, escapedDelta: string, fields: string): string =>
      `${head}${String(final)},"delta":"${escapedDelta}"${fields}}`,
  }
}
