import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ChunkReader, ChunkSource } from '../../server/index.ts'
import { atTurnEnd } from './at-turn-end.ts'
import { writeChunk } from './write-chunk.ts'

/**
 * Writes a stream to a response itself: through Web streams an event costs several times the time and a
 * connection several times the memory.
 */
export function writeStream(
  outgoing: ServerResponse,
  { status, headers }: Response,
  source: ChunkSource,
): void {
  const { socket } = outgoing.req
  // Whoever is gone already is not told of again.
  if (socket.destroyed) return source.close()
  outgoing.on('close', source.close)
  // A socket that breaks is an ordinary end of a reader.
  outgoing.on('error', source.close)
  if (outgoing.socket === null) closeWith(socket, outgoing, source)
  outgoing.writeHead(status, Object.fromEntries(headers))
  void writePieces(outgoing, source)
}

/** A response that waits for the one before it on the same connection is not told that the connection breaks. */
function closeWith(socket: Socket, outgoing: ServerResponse, { close }: ChunkSource): void {
  // Any number of them may wait.
  socket.setMaxListeners(0)
  socket.on('close', close)
  outgoing.on('close', () => socket.off('close', close))
}

/** Knows nothing but what it writes: requests and responses would stay in memory for as long as a stream is open. */
async function writePieces(outgoing: ServerResponse, source: ChunkSource): Promise<void> {
  const { reader } = source
  const fail = createFail(outgoing, source)
  try {
    const first = reader.take()
    if (first === undefined) await waitForFirst(outgoing, reader)
    else outgoing.write(first.bytes)
    outgoing.flushHeaders()
  } catch (error) {
    return fail(error)
  }
  createPump(outgoing, source, fail)()
}

/**
 * Builds what writes all that is ready, and goes on by itself when there is more: at the end of the turn, because what
 * is written to many sockets at a stretch wakes those who read them less often, and costs a tenth less.
 */
function createPump(
  outgoing: ServerResponse,
  { reader, stallTimeoutMs, close }: ChunkSource,
  fail: (error: unknown) => void,
): () => void {
  const pump = (): void => {
    try {
      while (!outgoing.destroyed) {
        const chunk = reader.take()
        if (chunk === undefined) {
          if (!reader.isOver()) return reader.wait(goOn, fail)
          outgoing.end()
          break
        }
        if (!writeChunk(outgoing, chunk)) return drained(outgoing, stallTimeoutMs, goOn)
      }
      close()
    } catch (error) {
      fail(error)
    }
  }
  const goOn = (): void => atTurnEnd(pump)
  return pump
}

function createFail(outgoing: ServerResponse, source: ChunkSource): (error: unknown) => void {
  return (error) => {
    // What was written before is the reader's, and Node holds it until the next round.
    setImmediate(() => outgoing.destroy())
    source.fail(error)
  }
}

/** Node keeps the headers for the first chunk, and a source may be silent for long before that. */
async function waitForFirst(outgoing: ServerResponse, reader: ChunkReader): Promise<void> {
  const flush = setImmediate(() => outgoing.flushHeaders())
  try {
    if (reader.isOver()) return
    await new Promise<void>((resolve, reject) => reader.wait(resolve, reject))
  } finally {
    clearImmediate(flush)
  }
}

/** Calls back when the reader has taken what was written, or is gone; one that takes too long is cut. */
function drained(outgoing: ServerResponse, stallTimeoutMs: number, onDrained: () => void): void {
  const { socket } = outgoing
  let isSettled = false
  const settle = (): void => {
    // Both tell of the same event, and whoever is told of it is told even after it has stopped to listen.
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    outgoing.off('drain', settle)
    socket?.off('drain', settle)
    outgoing.off('close', settle)
    onDrained()
  }
  const timer = setTimeout(() => {
    outgoing.destroy()
    settle()
  }, stallTimeoutMs)
  // A response that waits for the one before it on the same connection has no socket yet.
  outgoing.once('drain', settle)
  socket?.once('drain', settle)
  outgoing.once('close', settle)
  if (outgoing.destroyed) settle()
}
