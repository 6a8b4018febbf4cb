/** Bytes of a stream that are written together. */
export interface Piece {
  /** Not to be changed: others may be sent the same. */
  readonly bytes: Uint8Array
  /** The same as a chunk of HTTP/1.1, if it was framed for all who are sent it. */
  readonly chunk?: Uint8Array
}
