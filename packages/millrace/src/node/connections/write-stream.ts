import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BodyChunk, ChunkReader, ChunkSource } from '../../server/index.ts'
import { callApart, inFreeTurn } from '../../streams/index.ts'

/**
 * Writes a stream directly to a response. Through web streams, an event costs several times the time and a connection
 * several times the memory.
 */
export function writeStream(
  outgoing: ServerResponse,
  { status, headers }: Response,
  source: ChunkSource,
): void {
  const { socket } = outgoing.req
  // A destroyed socket emits no further close event.
  if (socket.destroyed) return source.close()
  outgoing.on('close', source.close)
  // A socket error is an ordinary end of a reader.
  outgoing.on('error', source.close)
  if (outgoing.socket === null) closeWith(socket, outgoing, source)
  outgoing.writeHead(status, Object.fromEntries(headers))
  void writeChunks(outgoing, source)
}

/** A response that waits for another one on its connection gets no close event when the connection fails. */
function closeWith(socket: Socket, outgoing: ServerResponse, { close }: ChunkSource): void {
  // Any number of responses may wait.
  socket.setMaxListeners(0)
  socket.on('close', close)
  outgoing.on('close', () => socket.off('close', close))
}

/** Holds no requests or responses, which would stay in memory while the stream is open. */
async function writeChunks(outgoing: ServerResponse, source: ChunkSource): Promise<void> {
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
 * Creates the function that writes all ready chunks, and continues by itself when there are more. It runs at the end of
 * the turn: writing to many sockets together wakes their readers less often and costs a tenth less.
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
          if (!reader.isOver()) return reader.wait(resume, fail)
          outgoing.end()
          break
        }
        if (!writeChunk(outgoing, chunk)) return drained(outgoing, stallTimeoutMs, resume)
      }
      close()
    } catch (error) {
      fail(error)
    }
  }
  const resume = (): void => atTurnEnd(pump)
  return pump
}

function createFail(outgoing: ServerResponse, source: ChunkSource): (error: unknown) => void {
  return (error) => {
    // Node holds the bytes written before until the next turn, and the reader must get them.
    setImmediate(() => outgoing.destroy())
    source.fail(error)
  }
}

/** Node holds the headers until the first chunk, and a source may be silent for long before that. */
async function waitForFirst(outgoing: ServerResponse, reader: ChunkReader): Promise<void> {
  const flush = setImmediate(() => outgoing.flushHeaders())
  try {
    if (reader.isOver()) return
    await new Promise<void>((resolve, reject) => reader.wait(resolve, reject))
  } finally {
    clearImmediate(flush)
  }
}

/** Calls back when the socket is drained or closed. Disconnects a reader that takes too long. */
function drained(outgoing: ServerResponse, stallTimeoutMs: number, onDrained: () => void): void {
  const { socket } = outgoing
  let isSettled = false
  const settle = (): void => {
    // Both sockets emit the event, and a listener that is removed during an emit is still called.
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

/**
 * Writes a chunk to a response whose headers are sent; false if the reader must drain first. Node passes the size, the
 * data and the end of a chunk to the socket one by one. A chunk that was framed once for all its readers is passed as a
 * whole, which saves a fifth of the time for each reader.
 */
function writeChunk(outgoing: ServerResponse, chunk: BodyChunk): boolean {
  const { socket, chunkedEncoding } = outgoing
  const { httpChunk } = chunk
  // HTTP/1.0 has no chunks, and a response that waits for another one has no socket yet.
  if (socket === null || !chunkedEncoding || httpChunk === undefined)
    return outgoing.write(chunk.bytes)
  return socket.write(httpChunk)
}

/**
 * Maximum duration of consecutive calls. Node accepts one connection in each turn of the event loop, so with many
 * readers the length of a turn decides how long a health check waits behind other new connections.
 */
const turnMs = 2

let due: readonly (() => void)[] = []
let position = 0
let calls: (() => void)[] = []
let isScheduled = false

/** Calls a function at the end of this turn of the event loop, together with others, or in a later turn. */
export function atTurnEnd(call: () => void): void {
  calls.push(call)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  inFreeTurn(callSome)
}

function callSome(): void {
  isScheduled = false
  if (position === due.length) {
    due = calls
    calls = []
    position = 0
  }
  const endsAt = performance.now() + turnMs
  while (position < due.length) {
    const call = due[position++]
    if (call !== undefined) callApart(call)
    if (performance.now() >= endsAt) break
  }
  // Called functions are released at once.
  if (position === due.length) due = []
  if (due.length === 0) position = 0
  if (due.length > 0 || calls.length > 0) schedule()
}

/** Converts a body of any origin to a source that is written like our own streams. */
export function toBodySource(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): ChunkSource {
  const bytes = body.getReader()
  let ready: BodyChunk | undefined
  let isOver = false
  const close = (): void => {
    bytes.cancel().catch(() => {})
  }
  const reader: ChunkReader = {
    take: () => {
      const chunk = ready
      ready = undefined
      return chunk
    },
    wait: (onReady, onError) => {
      const keep = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
        if (done) isOver = true
        else ready = { bytes: value }
      }
      bytes.read().then(keep).then(onReady, onError)
    },
    isOver: () => isOver,
    close,
  }
  return { reader, stallTimeoutMs, close, fail: close }
}
