import type { Envelope, StreamEvent } from '../../events/index.ts'
import type { SseFrame } from '../../sse/index.ts'

/** The content of one server-sent event; its position in the log is added where it is framed. */
export type FormatFrame = Pick<SseFrame, 'data' | 'event'>

/** The end of a stream: complete, or cut so that a reader may get more by reconnecting. */
export type StreamEnd = 'done' | 'cut'

/**
 * Writes the events of a log in another format. It gets all events from the start of a run, and its output depends only on them: when a
 * reader resumes, the events that it has read are written and their output is discarded. [DIA-1]
 */
export interface EventWriter {
  /** Returns the frames of an event: often one, sometimes none. */
  write(event: StreamEvent): readonly FormatFrame[]
  /** Returns the frames that close the stream and everything that is open in it. */
  finish(end: StreamEnd): readonly FormatFrame[]
}

/** Writes the frames of one log in a format that keeps their content byte for byte. */
export interface FrameWriter {
  /** Returns the frames of a frame; `id` is that of the last frame that it stands for. */
  write(frame: Envelope, id: number): readonly FormatFrame[]
  finish(end: StreamEnd): readonly FormatFrame[]
}

/** Properties of every format. */
interface FormatBase {
  readonly name: string
  /** Headers of the response, in addition to those of every event stream. */
  readonly headers: Readonly<Record<string, string>>
  /** The data of the frame that ends a complete stream, if the format has one. */
  readonly done: string | undefined
  /** Whether its frames are those of the log: the server then sends the stored bytes. */
  readonly isLog?: boolean
  /** Whether ids always contain the log, because clients send them back unchanged. [LOG-12] */
  readonly hasLogInIds?: boolean
}

/** A format that is written from events. */
export interface EventFormat extends FormatBase {
  readonly reads: 'events'
  /** Opens a writer for the log of a session with this root agent. */
  open(root: string, opening?: FormatOpening): EventWriter
}

/** A format that is written from frames. */
export interface FrameFormat extends FormatBase {
  readonly reads: 'frames'
  open(root: string, opening?: FormatOpening): FrameWriter
}

/** A format in which a run can be read. */
export type LogFormat = EventFormat | FrameFormat

/** Options of a writer besides its root agent. */
export interface FormatOpening {
  /** The session, if its id is not that of its root agent: it is a branch. */
  readonly session?: string
  /** The maximum length of a frame of the log in bytes; 2048 if absent. */
  readonly maxLineBytes?: number
  /** The address of the server. Addresses of stored files in events begin with it; those in frames are relative to it. [CHUNK-7] */
  readonly baseUrl?: string
}

/** Converts the frames of another format to frames of a log. */
export interface FormatReader {
  /** Returns the frames of a frame. */
  read(frame: FormatFrame): readonly Envelope[]
  /** Returns the remaining frames when the stream ends. An interrupted run gets its error and its end. */
  finish(): readonly Envelope[]
}
