const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const LINE_END_LENGTH = 2

/** How many bytes stand before data of this length in a chunk of HTTP/1.1. */
export function chunkHeadLength(length: number): number {
  return length.toString(16).length + LINE_END_LENGTH
}

/** How many bytes stand after the data of a chunk. */
export const CHUNK_END_LENGTH = LINE_END_LENGTH

/** Writes what stands around data of this length, which begins at `start`. */
export function frameChunk(into: Uint8Array, start: number, length: number): void {
  const size = length.toString(16)
  const before = start - LINE_END_LENGTH
  for (let index = 0; index < size.length; index++) {
    into[before - size.length + index] = size.charCodeAt(index)
  }
  endLine(into, before)
  endLine(into, start + length)
}

function endLine(into: Uint8Array, at: number): void {
  into[at] = CARRIAGE_RETURN
  into[at + 1] = LINE_FEED
}
