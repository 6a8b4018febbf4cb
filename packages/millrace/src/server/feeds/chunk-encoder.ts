import type { LogFormat, StreamEnd } from '../../protocols/port/index.ts'
import { DONE_FRAME } from '../../sse/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import type { BodyChunk } from '../reading/chunk-source.ts'
import { ViewFilter } from '../views/view-filter.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { ProtocolEncoder } from './protocol-encoder.ts'
import type { SharedFrames } from './frame-ring.ts'
import { mergeDeltas } from './merge-deltas.ts'
import { frameSpans, type SpannedLine } from './line-bytes.ts'
import type { VoidSteps } from './void-steps.ts'

/** The reader for which chunks are encoded. */
export interface ChunkEncoderOptions {
  readonly session: string
  /** The id of the root agent; the session's if absent. */
  readonly root?: string
  readonly log?: string
  /** Whether the ids of frames name the log. [LOG-12] */
  readonly hasLogInIds?: boolean
  /** The cursor of the request. */
  readonly after: number
  /** Number of protocol frames of the next log frame that the reader has. [DIA-2] */
  readonly frames?: number
  /** The format, if it differs from the log's. */
  readonly format?: LogFormat
  /** The last id at the time of the request; deltas up to it are merged. Without it none are. [LOG-5] */
  readonly tail?: number
  /** Whether deltas may be merged. */
  readonly isCompact?: boolean
  readonly view?: ViewRules
  /** After this long without output, a placeholder or comment is sent. */
  readonly heartbeatMs: number
  readonly maxLineBytes: number
  /** The address of the server for a format that is not the log's. */
  readonly publicUrl?: string
  /** Steps whose content is left out. [LOG-10] */
  readonly voidSteps?: VoidSteps
}

/** Encodes log frames for one reader; yields nothing where all of them are hidden. */
export interface ChunkEncoder {
  /** Encodes live frames, unmerged. Most readers share the same bytes. */
  fromFeed(shared: SharedFrames): BodyChunk | undefined
  /** Encodes stored frames, merged up to the tail. */
  fromStore(entries: readonly LogEntry[]): BodyChunk | undefined
  /** Encodes a placeholder up to an id, if the last frames were hidden. */
  flush(upTo: number): BodyChunk | undefined
  finish(end: StreamEnd): BodyChunk | undefined
}

const done: BodyChunk = { bytes: new TextEncoder().encode(DONE_FRAME) }

/** An interrupted stream in the log's format ends without a frame, and the client resumes. [SSE-5] */
function toEnd(end: StreamEnd): BodyChunk | undefined {
  return end === 'done' ? done : undefined
}

/** Readers at most this many frames behind get them unmerged. */
const FEW_MESSAGES = 8

/** Creates the encoder of one reader; `start` is the id after which it gets frames. */
export function createChunkEncoder(options: ChunkEncoderOptions, start: number): ChunkEncoder {
  const { view, format, frames = 0 } = options
  // Formats are replayed from the start of the run, without output up to the cursor. [DIA-1]
  const filter = view && new ViewFilter(view, format === undefined ? options.after : start)
  if (format === undefined) {
    return filter === undefined ? new OpenEncoder(options) : new ViewEncoder(options, filter)
  }
  return new ProtocolEncoder({
    ...options,
    format,
    frames,
    // Ids of protocol frames count from the log frame before, even if that was hidden.
    see: (entries) =>
      (filter === undefined ? entries : entries.flatMap((entry) => filter.take(entry))).map(
        ({ id, line }) => ({ id, line, span: 1 }),
      ),
    merge: (messages) => merge(messages, options),
  })
}

/** Encodes chunks for readers without a view. */
class OpenEncoder implements ChunkEncoder {
  readonly #options: ChunkEncoderOptions
  /** The id of the last frame that was sent. */
  #lastId: number

  constructor(options: ChunkEncoderOptions) {
    this.#options = options
    this.#lastId = options.after
  }

  fromFeed(shared: SharedFrames): BodyChunk | undefined {
    if (this.#options.hasLogInIds === true) return this.#frame(shared.entries())
    this.#lastId = shared.lastId
    return shared
  }

  fromStore(entries: readonly LogEntry[]): BodyChunk | undefined {
    return this.#frame(entries)
  }

  #frame(entries: readonly LogEntry[]): BodyChunk | undefined {
    return toChunk(merge(this.#count(entries), this.#options), this.#options)
  }

  /** Counts how many log frames each line stands for, including those left out before it. [LOG-10] */
  #count(entries: readonly LogEntry[]): readonly SpannedLine[] {
    return entries.map(({ id, line }) => {
      const span = id - this.#lastId
      this.#lastId = id
      return { id, line, span }
    })
  }

  flush(): undefined {}

  readonly finish = toEnd
}

class ViewEncoder implements ChunkEncoder {
  readonly #options: ChunkEncoderOptions
  readonly #filter: ViewFilter
  #sentAt = Date.now()

  constructor(options: ChunkEncoderOptions, filter: ViewFilter) {
    this.#options = options
    this.#filter = filter
  }

  fromFeed(shared: SharedFrames): BodyChunk | undefined {
    return this.#send(this.#see(shared.entries()), shared.lastId)
  }

  fromStore(entries: readonly LogEntry[]): BodyChunk | undefined {
    const messages = merge(this.#see(entries), this.#options)
    return this.#send(messages, entries.at(-1)?.id ?? 0)
  }

  flush(upTo: number): BodyChunk | undefined {
    const placeholder = this.#filter.flush(upTo)
    return placeholder && toChunk([placeholder], this.#options)
  }

  readonly finish = toEnd

  #see(entries: readonly LogEntry[]): readonly SpannedLine[] {
    return entries.flatMap((entry) => this.#filter.take(entry))
  }

  /** Sends a placeholder when everything was hidden for a heartbeat interval: clients treat silence as a connection failure. */
  #send(messages: readonly SpannedLine[], lastId: number): BodyChunk | undefined {
    const { heartbeatMs } = this.#options
    const isSilent = messages.length === 0 && Date.now() - this.#sentAt >= heartbeatMs
    const chunk = isSilent ? this.flush(lastId) : toChunk(messages, this.#options)
    if (chunk !== undefined) this.#sentAt = Date.now()
    return chunk
  }
}

function toChunk(
  messages: readonly SpannedLine[],
  options: ChunkEncoderOptions,
): BodyChunk | undefined {
  return messages.length > 0 ? { bytes: frameSpans(messages, options) } : undefined
}

/** Merges deltas up to the tail of the log at the time of the request. [LOG-5] */
function merge(
  messages: readonly SpannedLine[],
  { after, tail = 0, isCompact = true, maxLineBytes }: ChunkEncoderOptions,
): readonly SpannedLine[] {
  if (!isCompact || tail - after <= FEW_MESSAGES) return messages
  const older = messages.filter(({ id }) => id <= tail)
  return [...mergeDeltas(older, maxLineBytes), ...messages.slice(older.length)]
}
