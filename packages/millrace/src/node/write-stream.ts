import type { ServerResponse } from 'node:http'
import type { PieceSource } from '../server/index.ts'

/**
 * Writes a stream to a response itself: through Web streams an event costs several times the time and a
 * connection several times the memory. Resolves when the response is over, for whatever reason.
 */
export async function writeStream(
  outgoing: ServerResponse,
  response: Response,
  source: PieceSource,
): Promise<void> {
  outgoing.once('close', source.close)
  // A socket that breaks is an ordinary end of a reader.
  outgoing.on('error', source.close)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  // Node keeps the headers for the first piece, and a source may be silent for long before that.
  const flush = setImmediate(() => outgoing.flushHeaders())
  try {
    for await (const piece of source.pieces) {
      if (outgoing.destroyed) return
      if (!outgoing.write(piece)) await drained(outgoing, source.stallTimeoutMs)
    }
    if (!outgoing.destroyed) outgoing.end()
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
