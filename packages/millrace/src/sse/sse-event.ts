/** One event of a stream. */
export interface SseEvent {
  /**
   * The data lines, joined with LF. It may share memory with the network chunk that it came in: parse it,
   * or copy it before keeping it for long.
   */
  readonly data: string
  /** The event's type; undefined stands for the default, `message`. */
  readonly event: string | undefined
  /** The id that this frame set, if it did; the one that still holds is the decoder's `lastEventId`. */
  readonly id: string | undefined
}
