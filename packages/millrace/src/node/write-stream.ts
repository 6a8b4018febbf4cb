import type { ServerResponse } from 'node:http'
import type { PieceReader, PieceSource } from '../server/index.ts'
import { writeChunk } from './write-chunk.ts'

/**
 * Writes a stream to a response itself: through Web streams an event costs several times the time and a
 * connection several times the memory.
 */
export function writeStream(
  outgoing: ServerResponse,
  { status, headers }: Response,
  source: PieceSource,
): void {
  outgoing.on('close', source.close)
  // A socket that breaks is an ordinary end of a reader.
  outgoing.on('error', source.close)
  outgoing.writeHead(status, Object.fromEntries(headers))
  void writePieces(outgoing, source)
}

/** Knows nothing but what it writes: requests and responses would stay in memory for as long as a stream is open. */
async function writePieces(outgoing: ServerResponse, source: PieceSource): Promise<void> {
  const { reader, stallTimeoutMs } = source
  try {
    const first = reader.take()
    if (first === undefined) await waitForFirst(outgoing, reader)
    else outgoing.write(first)
    outgoing.flushHeaders()
    while (!outgoing.destroyed) {
      const piece = reader.take()
      if (piece === undefined) {
        if (reader.isOver()) return void outgoing.end()
        await reader.wait()
      } else if (!writeChunk(outgoing, piece)) await drained(outgoing, stallTimeoutMs)
    }
  } catch (error) {
    source.fail(error)
    // What was written before is the reader's, and Node holds it until the next round.
    await new Promise(setImmediate)
    outgoing.destroy()
  } finally {
    source.close()
  }
}

/** Node keeps the headers for the first piece, and a source may be silent for long before that. */
async function waitForFirst(outgoing: ServerResponse, reader: PieceReader): Promise<void> {
  const flush = setImmediate(() => outgoing.flushHeaders())
  try {
    if (!reader.isOver()) await reader.wait()
  } finally {
    clearImmediate(flush)
  }
}

/** Resolves when the reader has taken what was written, or is gone; one that takes too long is cut. */
function drained(outgoing: ServerResponse, stallTimeoutMs: number): Promise<void> {
  const { socket } = outgoing
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer)
      outgoing.off('drain', settle)
      socket?.off('drain', settle)
      outgoing.off('close', settle)
      resolve()
    }
    const timer = setTimeout(() => outgoing.destroy(), stallTimeoutMs)
    // A response that waits for the one before it on the same connection has no socket yet.
    outgoing.once('drain', settle)
    socket?.once('drain', settle)
    outgoing.once('close', settle)
    if (outgoing.destroyed) settle()
  })
}
