import {
  type FormatWriter,
  type LogFormat,
  type FormatFrame,
  openFormat,
  type StreamEnd,
} from '../../protocols/port/index.ts'
import { encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import type { BodyChunk } from '../reading/chunk-source.ts'
import { encodeCursor } from '../requests/cursor.ts'
import type { SharedFrames } from './frame-ring.ts'
import type { ChunkEncoder, ChunkEncoderOptions } from './chunk-encoder.ts'
import type { SpannedLine } from './line-bytes.ts'
import type { HiddenContent } from './void-steps.ts'

/** Frames up to `after` only go to the writer [DIA-1]. Cursors name void steps, so that a resumed reader gets the same. */
interface ProtocolEncoderOptions extends Pick<
  ChunkEncoderOptions,
  | 'session'
  | 'root'
  | 'log'
  | 'hasLogInIds'
  | 'after'
  | 'heartbeatMs'
  | 'maxLineBytes'
  | 'publicUrl'
  | 'voidSteps'
> {
  readonly format: LogFormat
  /** Number of protocol frames of the next log frame that the reader has. [DIA-2] */
  readonly frames: number
  /** Filters log frames by the reader's view. */
  readonly see: (entries: readonly LogEntry[]) => readonly SpannedLine[]
  /** Merges deltas of frames that the reader catches up with. */
  readonly merge: (messages: readonly SpannedLine[]) => readonly SpannedLine[]
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Encodes chunks in a format other than the log's. */
export class ProtocolEncoder implements ChunkEncoder {
  readonly #options: ProtocolEncoderOptions
  readonly #writer: FormatWriter
  #sentAt = Date.now()

  constructor(options: ProtocolEncoderOptions) {
    this.#options = options
    const { format, session, root = session, maxLineBytes, publicUrl = '' } = options
    this.#writer = openFormat(format, root, { maxLineBytes, session, baseUrl: publicUrl })
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

  /** Protocol frames carry cursors, so no placeholder is needed. */
  flush(): undefined {}

  finish(end: StreamEnd): BodyChunk | undefined {
    const { done } = this.#options.format
    const frames = this.#writer.finish(end).map((frame) => encodeSse(frame))
    if (end === 'done' && done !== undefined) frames.push(encodeSse({ data: done }))
    return frames.length === 0 ? undefined : { bytes: encoder.encode(frames.join('')) }
  }

  /** Many log frames may yield nothing, and clients treat silence as a connection failure. [SSE-3] */
  #say(messages: readonly SpannedLine[]): BodyChunk | undefined {
    const said = messages.map((message) => this.#frame(message)).join('')
    const isSilent = said === '' && Date.now() - this.#sentAt >= this.#options.heartbeatMs
    if (said === '' && !isSilent) return undefined
    this.#sentAt = Date.now()
    return { bytes: encoder.encode(said === '' ? HEARTBEAT_FRAME : said) }
  }

  #frame({ id, span, line }: SpannedLine): string {
    const { after, frames: known, log, hasLogInIds = false, voidSteps } = this.#options
    const frames = this.#writer.writeLine(decoder.decode(line), id, span)
    if (id <= after) return ''
    voidSteps?.follow(line, id)
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

/** Position of the protocol frames of one log frame. */
interface FramePlace {
  readonly before: number
  readonly id: number
  /** Number of frames that the reader has. */
  readonly known: number
  readonly hidden: readonly HiddenContent[]
  readonly log: string | undefined
}

/** Encodes the protocol frames of one log frame: the last has its id, the others count from the id before. [DIA-2] */
function toSse(
  frames: readonly FormatFrame[],
  { before, id, known, hidden, log }: FramePlace,
): string {
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
