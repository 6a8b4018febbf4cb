import type { ServerResponse } from 'node:http'
import type { PieceSource } from '../server/index.ts'

/**
 * Writes a stream to a response itself: through Web streams an event costs several times the time and a
 * connection several times the memory.
 */
export function writeStream(
  outgoing: ServerResponse,
  { status, headers }: Response,
  source: PieceSource,
): void {
  outgoing.once('close', source.close)
  // A socket that breaks is an ordinary end of a reader.
  outgoing.on('error', source.close)
  outgoing.writeHead(status, Object.fromEntries(headers))
  void writePieces(outgoing, source)
}

/** Knows nothing but what it writes: requests and responses would stay in memory for as long as a stream is open. */
async function writePieces(outgoing: ServerResponse, source: PieceSource): Promise<void> {
  // Node keeps the headers for the first piece, and a source may be silent for long before that.
  const flush = setImmediate(() => outgoing.flushHeaders())
  try {
    while (!outgoing.destroyed) {
      const piece = source.take()
      if (piece === undefined) {
        if (source.isOver()) return void outgoing.end()
        await source.wait()
      } else if (!outgoing.write(piece)) await drained(outgoing, source.stallTimeoutMs)
    }
  } catch (error) {
    clearImmediate(flush)
    source.fail(error)
    // What was written before is the reader's, and Node holds it until the next round.
    await new Promise(setImmediate)
    outgoing.destroy()
  } finally {
    clearImmediate(flush)
    source.close()
  }
}

/** Resolves when the reader has taken what was written, or is gone; one that takes too long is cut. */
function drained(outgoing: ServerResponse, stallTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer)
      outgoing.off('drain', settle)
      outgoing.off('close', settle)
      resolve()
    }
    const timer = setTimeout(() => outgoing.destroy(), stallTimeoutMs)
    outgoing.once('drain', settle)
    outgoing.once('close', settle)
    if (outgoing.destroyed) settle()
  })
}
