import type { ServerResponse } from 'node:http'
import type { Piece } from '../server/index.ts'

/**
 * Writes a piece to a response whose headers are sent; false if the reader should be waited for. Node hands the size of
 * a chunk, its data and its end to the socket one by one. A piece that is framed already, once for all who are sent it,
 * is handed over whole: that takes a fifth off the time for each of them.
 */
export function writeChunk(outgoing: ServerResponse, piece: Piece): boolean {
  const { socket, chunkedEncoding } = outgoing
  const { chunk } = piece
  // Clients of HTTP/1.0 get no chunks, and a response that waits for another one has no socket yet.
  if (socket === null || !chunkedEncoding || chunk === undefined) return outgoing.write(piece.bytes)
  return socket.write(chunk)
}
