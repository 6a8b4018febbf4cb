import type { Envelope } from '../envelope/index.ts'
import type { SseFrame } from '../sse/index.ts'

/** What one event of a stream says; where it stands in the log is added by whoever frames it. */
export type DialectFrame = Pick<SseFrame, 'data' | 'event'>

/** How a stream came to its end: as it should, or cut where the reader may find more by coming back. */
export type StreamEnd = 'done' | 'cut'

/**
 * Says the messages of one log in another format. It is fed from the beginning of a run, and what it says of a
 * message depends on the messages alone: a reader that resumes in the middle has one that was fed, in silence, what
 * the reader has read. [DIA-1]
 */
export interface DialectWriter {
  /** What a message becomes: often one frame, sometimes none. `id` is that of the message, or the last it stands for. */
  write(envelope: Envelope, id: number): readonly DialectFrame[]
  /** What closes the stream; everything that was opened is closed in it. */
  finish(end: StreamEnd): readonly DialectFrame[]
}

/** One format in which a run can be read. */
export interface Dialect {
  readonly name: string
  /** Headers of the answer beyond those of every event stream. */
  readonly headers: Readonly<Record<string, string>>
  /** The data of the frame that ends a whole stream, where the format has one. */
  readonly done: string | undefined
  /** Whether its frames are those of the log: the server then sends the stored bytes. */
  readonly isLog?: boolean
  /** Whether ids always name the log: its clients send them back as they are. [LOG-12] */
  readonly hasLogInIds?: boolean
  /** Opens a writer for the log of a session with this root agent. */
  open(root: string, opening?: DialectOpening): DialectWriter
}

/** What a writer is opened with besides its root agent. */
export interface DialectOpening {
  /** The session, if its id is not that of its root agent: it is a branch. */
  readonly session?: string
  /** The longest line of the log in bytes; 2048 if absent. */
  readonly maxLineBytes?: number
}

/** Turns the frames of another format into messages. */
export interface DialectReader {
  /** The messages that a frame becomes. */
  read(frame: DialectFrame): readonly Envelope[]
  /** What is left to say when the stream ends; one that was cut gets its error and its end. */
  finish(): readonly Envelope[]
}
