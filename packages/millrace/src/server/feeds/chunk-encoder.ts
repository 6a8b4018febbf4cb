import type { Format, StreamEnd } from '../../protocols/port/index.ts'
import { DONE_FRAME } from '../../sse/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import type { BodyChunk } from '../reading/body-chunk.ts'
import { createViewFilter, type ViewFilter } from '../views/view-filter.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { ProtocolEncoder } from './protocol-encoder.ts'
import type { SharedFrames } from './batch.ts'
import { mergeDeltas } from './merge-deltas.ts'
import { frameSpans, type SpannedLine } from './spanned-line.ts'
import type { VoidSteps } from './void-steps.ts'

/** Whom chunks are made for. */
export interface ChunkEncoderOptions {
  readonly session: string
  /** The id of its root agent; the session's if absent. */
  readonly root?: string
  /** The log that is read. */
  readonly log?: string
  /** Whether the ids of frames name the log. [LOG-12] */
  readonly hasLogInIds?: boolean
  /** The cursor with which the reader came. */
  readonly after: number
  /** How many frames of the next message it has, in a dialect that makes several of one. [DIA-2] */
  readonly frames?: number
  /** The format that it reads, if that is another than the log's. */
  readonly dialect?: Format
  /** The last id when the reader came; up to there deltas are merged. Without it none are. [LOG-5] */
  readonly tail?: number
  /** Whether deltas may be merged at all. */
  readonly isCompact?: boolean
  readonly view?: ViewRules
  /** A reader who has not been sent anything for this long is told up to where it has everything. */
  readonly heartbeatMs: number
  readonly maxLineBytes: number
  /** The steps whose content is left out for the reader, if there are any. [LOG-10] */
  readonly voidSteps?: VoidSteps
}

/** Turns messages into what one reader is sent, or into nothing where it may see none of them. */
export interface ChunkEncoder {
  /** What is new: as it is, and for most readers the same bytes. */
  fromFeed(shared: SharedFrames): BodyChunk | undefined
  /** What is older: merged, as far as the reader has to catch up with it. */
  fromStore(entries: readonly LogEntry[]): BodyChunk | undefined
  /** What tells the reader that it has everything up to an id, if it does not know that. */
  flush(upTo: number): BodyChunk | undefined
  /** What ends the stream, if anything does. */
  finish(end: StreamEnd): BodyChunk | undefined
}

const done: BodyChunk = { bytes: new TextEncoder().encode(DONE_FRAME) }

/** A stream in the log's own format that is cut ends without a word, and its reader comes back. [SSE-5] */
function toEnd(end: StreamEnd): BodyChunk | undefined {
  return end === 'done' ? done : undefined
}

/** A reader that is only a few messages late gets them as they are. */
const FEW_MESSAGES = 8

/** Builds what makes the chunks of one reader; `start` is the id after which it is told messages. */
export function createChunkEncoder(options: ChunkEncoderOptions, start: number): ChunkEncoder {
  const { view, dialect, frames = 0 } = options
  // Readers of a dialect have seen nothing before the start: what they know of is told again, in silence. [DIA-1]
  const filter = view && createViewFilter(view, dialect === undefined ? options.after : start)
  if (dialect === undefined) {
    return filter === undefined ? new OpenEncoder(options) : new ViewEncoder(options, filter)
  }
  return new ProtocolEncoder({
    ...options,
    dialect,
    frames,
    // The ids of its frames count from the message before, whether or not the reader was sent that.
    see: (entries) =>
      (filter === undefined ? entries : entries.flatMap((entry) => filter.take(entry))).map(
        ({ id, line }) => ({ id, line, span: 1 }),
      ),
    merge: (messages) => merge(messages, options),
  })
}

/** Counts the messages that each one stands for, with those before it that were left out. [LOG-10] */
function createSpans(start: number) {
  let lastId = start
  return {
    count: (entries: readonly LogEntry[]): readonly SpannedLine[] =>
      entries.map(({ id, line }) => {
        const span = id - lastId
        lastId = id
        return { id, line, span }
      }),
    pass: (id: number): void => {
      lastId = id
    },
  }
}

/** Makes chunks for a reader that may see everything. */
class OpenEncoder implements ChunkEncoder {
  readonly #options: ChunkEncoderOptions
  readonly #spans

  constructor(options: ChunkEncoderOptions) {
    this.#options = options
    this.#spans = createSpans(options.after)
  }

  fromFeed(shared: SharedFrames): BodyChunk | undefined {
    if (this.#options.hasLogInIds === true) return this.#frame(shared.entries())
    this.#spans.pass(shared.lastId)
    return shared
  }

  fromStore(entries: readonly LogEntry[]): BodyChunk | undefined {
    return this.#frame(entries)
  }

  #frame(entries: readonly LogEntry[]): BodyChunk | undefined {
    return toChunk(merge(this.#spans.count(entries), this.#options), this.#options)
  }

  flush(): undefined {}

  readonly finish = toEnd
}

/** Makes chunks for a reader that may not see everything. */
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

  /** Messages may be hidden one after the other for minutes, and a client takes silence for a lost connection. */
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

/** Merges deltas up to the live edge, which is where the log ended when the reader came. [LOG-5] */
function merge(
  messages: readonly SpannedLine[],
  { after, tail = 0, isCompact = true, maxLineBytes }: ChunkEncoderOptions,
): readonly SpannedLine[] {
  if (!isCompact || tail - after <= FEW_MESSAGES) return messages
  const older = messages.filter(({ id }) => id <= tail)
  return [...mergeDeltas(older, maxLineBytes), ...messages.slice(older.length)]
}
