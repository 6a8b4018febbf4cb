import { decodeEnvelope, type Envelope, type Extras } from '../envelope/envelope.ts'
import type { EnvelopeTraits } from '../catalog/envelope-traits.ts'
import { HIDDEN_TYPE } from '../catalog/catalog.ts'
import { joinContinued } from '../envelope/join.ts'
import { traitsOf } from '../catalog/find-traits.ts'
import { MillraceError } from '../../errors/index.ts'
import type { JsonValue } from '../../json/index.ts'
import type { Piece, StreamEvent } from './stream-event.ts'
import { toWholeEvent } from './whole-event.ts'

/** Options of a decoder. */
export interface DecoderOptions {
  /** The id of the last frame that was read before. Without it frames are not checked for repeats and holes. */
  readonly after?: number
  /** Reads on after a hole, as in a file that lacks frames. */
  readonly skipsHoles?: boolean
  /** Maximum number of UTF-16 units held for events that are not complete. */
  readonly maxHeldLength?: number
}

/** Converts the frames of one log to events, across reconnects. */
export interface Decoder {
  /** The id of the last frame that was read. */
  readonly lastId: number
  /**
   * Reads the next frame and returns the event that it completes. A frame that was read before completes none, and one after a hole throws
   * `frames_missing`, if ids are checked. Without an `id` the frame follows the last one. [LOG-3]
   */
  decode(line: string, id?: number, span?: number): StreamEvent | undefined
  /** Reads a frame that was parsed before. */
  decodeFrame(frame: Envelope, id?: number): StreamEvent | undefined
}

/** Creates the decoder of one log. */
export function createDecoder(options: DecoderOptions = {}): Decoder {
  return new FrameDecoder(options)
}

/** A block or an item whose last frame has not arrived. */
interface OpenBlock {
  readonly row: EnvelopeTraits | undefined
  readonly type: string
  readonly agent: string
  readonly block: string
  readonly wireId: string
  readonly isOfCall: boolean
  readonly isSummary: boolean
  name: string
  serverName: string | undefined
  redacted: boolean
  isError: boolean
  fields: Extras
  /** The latest frame, joined with those whose fields it continues. [CHUNK-5] */
  head: Envelope
  /** Text that waits for the fields or for the end. */
  held: string
  /** UTF-16 units held. */
  size: number
  frames: number
  start: boolean
}

/** Shapes of more blocks are not kept: agents rarely interleave more. */
const MAX_SHAPES = 4
/** The frame of a block from which on its shape is kept: shorter blocks do not repay it. */
const FIRST_SHAPED = 3
/** Frames of a block that are parsed from one attempt to the next, so that many agents in turn do not make shapes all the time. */
const SHAPED_EVERY = 4

const noFields: Extras = {}

class FrameDecoder implements Decoder {
  lastId: number
  readonly #maxHeldLength: number
  readonly #isChecked: boolean
  readonly #skipsHoles: boolean
  /** The open blocks of each agent. */
  readonly #open = new Map<string, Map<string, OpenBlock>>()
  /** The agents whose text is a summary. [EXT-3] */
  readonly #summarizing = new Set<string>()
  #shapes: FrameShape<OpenBlock>[] = []
  #heldLength = 0

  constructor({ after, skipsHoles = false, maxHeldLength = 64 * 1024 * 1024 }: DecoderOptions) {
    this.lastId = after ?? 0
    this.#isChecked = after !== undefined
    this.#skipsHoles = skipsHoles
    this.#maxHeldLength = maxHeldLength
  }

  decode(line: string, id?: number, span?: number): StreamEvent | undefined {
    for (const shape of this.#shapes) {
      const text = readDelta(shape, line)
      if (text === undefined) continue
      if (!this.#advance(id, span ?? 1)) return undefined
      const { block, frame } = shape
      const { final, more } = block.head
      if (!final && more === undefined) return toPiece(block, text, this.lastId, span ?? 1)
      // Most blocks of text look like the one before, whose shape saves parsing the first frame.
      const event = this.#take({ ...frame, delta: text }, span ?? 1)
      shape.block = this.#open.get(frame.agent)?.get(keyOf(frame)) ?? block
      return event
    }
    const frame = decodeEnvelope(line)
    const spanned = span ?? frame.span ?? 1
    return this.#advance(id, spanned) ? this.#take(frame, spanned, line) : undefined
  }

  decodeFrame(frame: Envelope, id?: number): StreamEvent | undefined {
    const { span = 1 } = frame
    return this.#advance(id, span) ? this.#take(frame, span) : undefined
  }

  /** Counts a frame; false if it was counted before. */
  #advance(id: number | undefined, span: number): boolean {
    const { lastId } = this
    if (id !== undefined && this.#isChecked) {
      if (id <= lastId) return false
      if (id - span !== lastId && !this.#skipsHoles) {
        const message = `Frame ${id} does not follow frame ${lastId}; read again after frame ${lastId}. [LOG-3]`
        throw new MillraceError('frames_missing', message)
      }
    }
    this.lastId = id ?? lastId + span
    return true
  }

  #take(frame: Envelope, span: number, line?: string): StreamEvent | undefined {
    if (frame.type === HIDDEN_TYPE) return undefined
    const others = this.#open.get(frame.agent)
    const known = others !== undefined && others.size > 0 ? others.get(keyOf(frame)) : undefined
    const open = known ?? this.#begin(frame, span)
    open.frames++
    const isItem = open.row?.isItem
    const isDone = isItem ? frame.more === undefined : frame.final
    if (known === undefined) {
      if (!isDone) this.#keep(frame, open, others)
    } else if (isDone) {
      others!.delete(keyOf(frame))
      this.#release(open)
    }
    if (isPieceRow(open.row)) return this.#grow(open, frame, span, line)
    if (known !== undefined) open.head = joinFrames(open.head, frame)
    if (!isItem) open.held += frame.delta
    if (!isDone) return this.#hold(open, frame)
    return this.#complete(open, isItem ? open.head.delta : open.held, span)
  }

  #begin(frame: Envelope, span: number): OpenBlock {
    const { type, agent, id = '' } = frame
    const row = traitsOf(type)
    return {
      row,
      type,
      agent,
      block: `b${this.lastId - span + 1}`,
      wireId: id,
      isOfCall: row?.required?.['id'] !== undefined,
      isSummary: this.#summarizing.has(agent),
      name: '',
      serverName: undefined,
      redacted: false,
      isError: false,
      fields: noFields,
      head: frame,
      held: '',
      size: 0,
      frames: 0,
      start: true,
    }
  }

  /** Adds a frame to a block that readers follow. The first event waits until its fields are complete. [CHUNK-5] */
  #grow(
    open: OpenBlock,
    frame: Envelope,
    span: number,
    line: string | undefined,
  ): StreamEvent | undefined {
    const { delta, final } = frame
    if (open.frames > 1)
      open.head = open.head.more === undefined ? frame : joinFrames(open.head, frame)
    readFields(open)
    if (open.head.more !== undefined && !final) {
      open.held += delta
      return this.#hold(open, frame)
    }
    if (open.frames % SHAPED_EVERY === FIRST_SHAPED && line !== undefined) {
      const shape = toShape(line, frame, open)
      if (shape !== undefined) this.#shapes = [shape, ...this.#shapes].slice(0, MAX_SHAPES)
    }
    const text = open.held === '' ? delta : open.held + delta
    open.held = ''
    this.#release(open)
    const event = toPiece(open, text, this.lastId, span, frame)
    open.start = false
    return event
  }

  #complete(open: OpenBlock, text: string, span: number): StreamEvent | undefined {
    const { row, agent, block, head } = open
    // A new run ends a summary that an older server left open.
    const isSummaryNext = row?.startsRun ? false : row?.isSummaryNext
    if (isSummaryNext === true) this.#summarizing.add(agent)
    else if (isSummaryNext === false) this.#summarizing.delete(agent)
    // Events of today have no marks of a summary.
    const known = row?.isSummaryNext === undefined ? row : undefined
    return toWholeEvent(known, head, { text, block, id: this.lastId, span })
  }

  #keep(frame: Envelope, open: OpenBlock, others = new Map<string, OpenBlock>()): void {
    others.set(keyOf(frame), open)
    this.#open.set(open.agent, others)
  }

  #hold(open: OpenBlock, frame: Envelope): undefined {
    const size = lengthOf(frame)
    open.size += size
    this.#heldLength += size
    if (this.#heldLength <= this.#maxHeldLength) return undefined
    const message = `With ${open.type} of agent ${open.agent}, incomplete events hold more than ${this.#maxHeldLength} characters; raise the limit to accept them.`
    throw new MillraceError('frame_too_large', message)
  }

  #release(open: OpenBlock): void {
    this.#heldLength -= open.size
    open.size = 0
  }
}

/** Returns the key of a block among those of its agent. [ENV-7] */
function keyOf({ type, id }: Envelope): string {
  return id === undefined ? type : `${type}\n${id}`
}

/** Checks for the row of a block that readers follow while it grows. */
function isPieceRow(row: EnvelopeTraits | undefined): boolean {
  return row?.isConversation === true && !row.isItem
}

/** Creates a piece, from a frame if there is more to it than text. A literal takes 15 ns, a spread over 200. */
function toPiece(
  open: OpenBlock,
  text: string,
  id: number,
  span: number,
  frame?: Envelope,
): StreamEvent {
  const { type, agent, block, wireId, start, fields, name, serverName, redacted, isError } = open
  const end = frame?.final === true
  const interrupted = end && frame['interrupted'] === true
  const piece = open.isOfCall
    ? {
        type,
        agent,
        id,
        span,
        block,
        wireId,
        text,
        start,
        end,
        interrupted,
        callId: wireId,
        name,
        serverName,
        isError,
        fields,
      }
    : {
        type,
        agent,
        id,
        span,
        block,
        wireId,
        text,
        start,
        end,
        interrupted,
        redacted,
        isSummary: open.isSummary,
        fields,
      }
  // The row of the type marks it as one.
  return piece as Piece
}

/** Joins a frame with those before it. A field of which a part is missing is lost, the rest is not. */
function joinFrames(head: Envelope, frame: Envelope): Envelope {
  try {
    return joinContinued(head, frame)
  } catch {
    return frame
  }
}

function lengthOf(frame: Envelope): number {
  let length = 0
  for (const value of Object.values(frame)) if (typeof value === 'string') length += value.length
  return length
}

/** Fields that are members of every piece, or belong to the frame alone. */
const ownFields: ReadonlySet<string> = new Set([
  'type',
  'agent',
  'final',
  'delta',
  'id',
  'name',
  'more',
  'span',
  'interrupted',
])

/** Reads the fields of a block. Frames that continue it repeat them, or have none. */
function readFields(open: OpenBlock): void {
  const { head } = open
  const { name, redacted, is_error: isError, server_name: serverName } = head
  for (const field in head) {
    // A decoded frame holds nothing but JSON.
    if (!ownFields.has(field)) open.fields = { ...open.fields, [field]: head[field] as JsonValue }
  }
  if (typeof name === 'string') open.name = name
  if (typeof serverName === 'string') open.serverName = serverName
  open.redacted ||= redacted === true
  open.isError ||= isError === true
}

const DELTA = '"delta":"'

/** The text around the delta of frames that differ in nothing else. */
interface FrameShape<Block> {
  /** Up to and including the quote that opens `delta`. */
  readonly prefix: string
  /** From the quote that closes `delta`. */
  readonly suffix: string
  /** One of the frames. */
  readonly frame: Envelope
  /** The block that the latest of them belongs to. */
  block: Block
}

/** Returns the shape of a frame, or undefined if another writer wrote its fields in another order or form. [ENV-2] */
function toShape<Block>(
  line: string,
  frame: Envelope,
  block: Block,
): FrameShape<Block> | undefined {
  const { type, agent, delta, final, more, span } = frame
  if (final || more !== undefined || span !== undefined) return undefined
  // Made from the frame, as a part of a line with characters beyond Latin 1 would have two bytes for each.
  const prefix = JSON.stringify({ type, agent, final, delta: '' }).slice(0, -2)
  const start = prefix + JSON.stringify(delta).slice(1)
  if (line.indexOf(start) !== 0) return undefined
  const suffix = line.slice(start.length - 1)
  return suffix.includes(DELTA) ? undefined : { prefix, suffix, frame, block }
}

/** Reads the delta of a frame of a shape, which takes a third of the time of parsing it; undefined for another frame. */
function readDelta({ prefix, suffix }: FrameShape<unknown>, line: string): string | undefined {
  // `startsWith` takes 400 ns where one text is of bytes and the other is not.
  if (line.indexOf(prefix) !== 0 || !line.endsWith(suffix)) return undefined
  try {
    return JSON.parse(line.slice(prefix.length - 1, line.length - suffix.length + 1)) as string
  } catch {
    return undefined
  }
}
