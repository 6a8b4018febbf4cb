import {
  type DialectWriter,
  type Format,
  type Frame,
  openDialect,
  type StreamEnd,
} from '../../protocols/port/index.ts'
import { createEnvelopeDecoder } from '../../envelope/index.ts'
import { encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import type { BodyChunk } from '../reading/body-chunk.ts'
import { encodeCursor } from '../requests/cursor.ts'
import type { SharedFrames } from './batch.ts'
import type { ChunkEncoder } from './chunk-encoder.ts'
import type { SpannedLine } from './spanned-line.ts'
import type { HiddenContent, VoidSteps } from './void-steps.ts'

/** Whom chunks are made for, in which dialect. */
export interface ProtocolEncoderOptions {
  readonly dialect: Format
  readonly session: string
  /** The id of its root agent; the session's if absent. */
  readonly root?: string
  /** The log that is read, and whether the ids of frames name it. [LOG-12] */
  readonly log?: string
  readonly hasLogInIds?: boolean
  /** Up to where the reader has everything; what comes before is told to the dialect alone. [DIA-1] */
  readonly after: number
  /** How many frames of the message after that it has too. [DIA-2] */
  readonly frames: number
  /** What the reader may see of messages. */
  readonly see: (entries: readonly LogEntry[]) => readonly SpannedLine[]
  /** Merges what the reader catches up with. */
  readonly merge: (messages: readonly SpannedLine[]) => readonly SpannedLine[]
  readonly heartbeatMs: number
  readonly maxLineBytes: number
  /** The steps whose content is left out: cursors name those that were, so that a resumed reader is told the same. */
  readonly voidSteps?: VoidSteps
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Makes chunks for a reader of another format than the log's. */
export class ProtocolEncoder implements ChunkEncoder {
  readonly #options: ProtocolEncoderOptions
  readonly #writer: DialectWriter
  readonly #decode = createEnvelopeDecoder()
  #sentAt = Date.now()

  constructor(options: ProtocolEncoderOptions) {
    this.#options = options
    const { dialect, session, root = session, maxLineBytes } = options
    this.#writer = openDialect(dialect, root, { maxLineBytes, session })
  }

  fromFeed(shared: SharedFrames): BodyChunk | undefined {
    return this.#say(this.#options.see(shared.entries()))
  }

  fromStore(entries: readonly LogEntry[]): BodyChunk | undefined {
    const { after, see, merge } = this.#options
    const messages = see(entries)
    const known = messages.filter(({ id }) => id <= after)
    return this.#say([...known, ...merge(messages.slice(known.length))])
  }

  /** What the reader has of the log shows in what it is told. */
  flush(): undefined {}

  finish(end: StreamEnd): BodyChunk | undefined {
    const { done } = this.#options.dialect
    const frames = this.#writer.finish(end).map((frame) => encodeSse(frame))
    if (end === 'done' && done !== undefined) frames.push(encodeSse({ data: done }))
    return frames.length === 0 ? undefined : { bytes: encoder.encode(frames.join('')) }
  }

  /** Many messages may become nothing in a dialect, and silence is taken for a lost connection. [SSE-3] */
  #say(messages: readonly SpannedLine[]): BodyChunk | undefined {
    const said = messages.map((message) => this.#frame(message)).join('')
    const isSilent = said === '' && Date.now() - this.#sentAt >= this.#options.heartbeatMs
    if (said === '' && !isSilent) return undefined
    this.#sentAt = Date.now()
    return { bytes: encoder.encode(said === '' ? HEARTBEAT_FRAME : said) }
  }

  #frame({ id, span, line }: SpannedLine): string {
    const { after, frames: known, log, hasLogInIds = false, voidSteps } = this.#options
    const text = decoder.decode(line)
    const frames = this.#writer.writeLine(text, id, span)
    if (id <= after) return ''
    voidSteps?.follow(this.#decode(text), id)
    const before = id - span
    return toSse(frames, {
      before,
      id,
      known: before === after ? known : 0,
      hidden: voidSteps?.hiddenUpTo(id) ?? [],
      log: hasLogInIds ? log : undefined,
    })
  }
}

/** Where the frames of one message stand. */
interface FramePlace {
  readonly before: number
  readonly id: number
  /** How many of them the reader has. */
  readonly known: number
  readonly hidden: readonly HiddenContent[]
  readonly log: string | undefined
}

/** Frames what one message becomes: the last frame has the id of the message, the others count from the one before. [DIA-2] */
function toSse(frames: readonly Frame[], { before, id, known, hidden, log }: FramePlace): string {
  const last = frames.length - 1
  return frames
    .map((frame, at) => {
      if (at < known) return ''
      const place = at === last ? { after: id } : { after: before, frames: at + 1 }
      const cursor = { ...place, hidden, ...(log !== undefined && { log }) }
      return encodeSse({ ...frame, id: encodeCursor(cursor) })
    })
    .join('')
}
