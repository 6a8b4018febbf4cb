/** Bytes of a stream that are written together. */
export interface BodyChunk {
  /** Not to be changed, nor its buffer transferred: others are sent the same, and what comes next is beside it. */
  readonly bytes: Uint8Array
  /**
   * The same as one chunk of HTTP/1.1, with its size and its end, if it was framed for all who are sent it; for whoever
   * writes to the socket itself, after the headers.
   */
  readonly httpChunk?: Uint8Array
}
