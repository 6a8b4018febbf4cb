import { MillraceError } from '../errors/index.ts'
import { cutEscaped, utf8Length } from '../text/index.ts'
import { traitsOf } from './catalog.ts'
import { encodeEnvelope } from './encode.ts'
import type { Extras } from './envelope.ts'
import { type LaidOutExtras, layOutExtras } from './lay-out-extras.ts'
import { createLine, type Line } from './line.ts'

/** No encoded message is longer than this many UTF-8 bytes, unless a limit is given. [CHUNK-1] */
export const MAX_SSE_CHUNK_BYTES = 2048

/** The least limit that leaves room for the fields of every message. */
export const MIN_SSE_CHUNK_BYTES = 512

/** Names that an extra field cannot have, since every message may carry them with a meaning of their own. */
const RESERVED_NAMES = ['type', 'agent', 'final', 'delta', 'more', 'span']

/** UTF-16 units that cannot exceed the limit once in UTF-8 need no measuring. */
const MAX_BYTES_PER_UNIT = 3

/** A payload to be sent as one block, or as one item. */
export interface Payload {
  readonly type: string
  readonly agent: string
  readonly payload: string
  readonly extras?: Extras
  /** Whether the last message closes the block; incremental blocks are closed by a message of their own. */
  readonly final?: boolean
  readonly maxBytes?: number
}

/**
 * Splits a payload into encoded lines that each stay within the limit, whatever is in it; joining them gives
 * the payload and the extras back exactly. [CHUNK-1] to [CHUNK-6]
 */
export function* chunkPayload(input: Payload): Generator<string, void, undefined> {
  const { type, agent, payload, extras = {}, final = true, maxBytes = MAX_SSE_CHUNK_BYTES } = input
  checkLimit(maxBytes)
  checkNames(extras)
  if (payload.length <= maxBytes) {
    const whole = encodeEnvelope({ ...extras, type, agent, final, delta: payload })
    // Measured as if not final, which is a byte longer, so that a piece fits whatever it turns out to be.
    if (fits(whole, maxBytes - Number(final))) return yield whole
  }
  // Any message may turn out to be the last, so all leave room for what stands on that one.
  const { interrupted, ...others } = extras
  const closing = interrupted === true ? ',"interrupted":true' : ''
  const isItem = traitsOf(type)?.unit === 'item'
  const line = createLine(type, agent, maxBytes - utf8Length(closing), isItem)
  const laidOut = yield* layOutExtras(line, closing === '' ? extras : others)
  yield* splitDelta(line, payload, { ...laidOut, closing }, final)
}

function checkLimit(maxBytes: number): void {
  if (Number.isInteger(maxBytes) && maxBytes >= MIN_SSE_CHUNK_BYTES) return
  throw new MillraceError(
    'bad_request',
    `The frame limit is ${maxBytes} bytes; it must be a whole number of at least ${MIN_SSE_CHUNK_BYTES}.`,
  )
}

function checkNames(extras: Extras): void {
  const taken = RESERVED_NAMES.find((name) => Object.hasOwn(extras, name))
  if (taken === undefined) return
  throw new MillraceError('bad_request', `An extra field cannot be named \`${taken}\`; rename it.`)
}

function fits(line: string, maxBytes: number): boolean {
  return line.length * MAX_BYTES_PER_UNIT <= maxBytes || utf8Length(line) <= maxBytes
}

interface EncodedExtras extends LaidOutExtras {
  /** Stands on the last message only. [LIFE-14] */
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
