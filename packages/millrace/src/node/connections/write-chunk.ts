import type { ServerResponse } from 'node:http'
import type { BodyChunk } from '../../server/index.ts'

/**
 * Writes a chunk to a response whose headers are sent; false if the reader must drain first. Node passes the size, the
 * data and the end of a chunk to the socket one by one. A chunk that was framed once for all its readers is passed as a
 * whole, which saves a fifth of the time for each reader.
 */
export function writeChunk(outgoing: ServerResponse, chunk: BodyChunk): boolean {
  const { socket, chunkedEncoding } = outgoing
  const { httpChunk } = chunk
  // HTTP/1.0 has no chunks, and a response that waits for another one has no socket yet.
  if (socket === null || !chunkedEncoding || httpChunk === undefined)
    return outgoing.write(chunk.bytes)
  return socket.write(httpChunk)
}
