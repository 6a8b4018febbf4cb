import { badRequest } from '../../errors/index.ts'
import { cutEscaped, utf8Length } from '../../text/index.ts'
import { traitsOf } from '../catalog/find-traits.ts'
import { encodeEnvelope } from './encode.ts'
import type { Extras } from './envelope.ts'
import { type LaidOutExtras, layOutExtras } from './lay-out-extras.ts'
import { createLine, type Line } from './line.ts'

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
