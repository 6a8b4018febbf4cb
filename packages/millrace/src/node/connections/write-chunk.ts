import type { ServerResponse } from 'node:http'
import type { BodyChunk } from '../../server/index.ts'

/**
 * Writes a chunk to a response whose headers are sent; false if the reader should be waited for. Node hands the size of
 * a chunk, its data and its end to the socket one by one. A chunk that is framed already, once for all who are sent it,
 * is handed over whole: that takes a fifth off the time for each of them.
 */
export function writeChunk(outgoing: ServerResponse, chunk: BodyChunk): boolean {
  const { socket, chunkedEncoding } = outgoing
  const { httpChunk } = chunk
  // Clients of HTTP/1.0 get no chunks, and a response that waits for another one has no socket yet.
  if (socket === null || !chunkedEncoding || httpChunk === undefined)
    return outgoing.write(chunk.bytes)
  return socket.write(httpChunk)
}
