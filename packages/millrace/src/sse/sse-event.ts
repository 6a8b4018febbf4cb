/** One event of a stream. */
export interface SseEvent {
  /**
   * The data lines, joined with LF. The string may share memory with its network chunk: parse it, or copy it before
   * storing it.
   */
  readonly data: string
  /** The type of the event; undefined means the default, `message`. */
  readonly event: string | undefined
  /** The id field of this frame, if present. The effective id is `lastEventId` of the decoder. */
  readonly id: string | undefined
}
