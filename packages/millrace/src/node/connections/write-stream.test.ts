import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { uncaughtIn } from '../../../test/support/uncaught-in.ts'
import type { ChunkReader } from '../../server/index.ts'
import { writeStream } from './write-stream.ts'

const encoder = new TextEncoder()
let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

function toChunk(bytes: Uint8Array): Uint8Array {
  const size = bytes.length.toString(16)
  return Buffer.concat([encoder.encode(`${size}\r\n`), bytes, encoder.encode('\r\n')])
}

/**
 * Yields chunks one after the other, every second one already framed; a number is a pause of that
 * many turns.
 */
function readerOf(script: readonly (Uint8Array | number)[]): ChunkReader {
  const left = [...script]
  let taken = 0
  const pause = async (): Promise<void> => {
    const turns = left.shift()
    for (let turn = 0; turn < Number(turns); turn++) await new Promise(setImmediate)
  }
  return {
    take: () => {
      const bytes = left[0]
      if (bytes === undefined || typeof bytes === 'number') return undefined
      left.shift()
      return bytes.length > 0 && taken++ % 2 === 0
        ? { bytes, httpChunk: toChunk(bytes) }
        : { bytes }
    },
    wait: (onReady, onError) => void pause().then(onReady, onError),
    isOver: () => left.length === 0,
    close: () => {},
  }
}

/** Serves the same chunks to any client. */
async function listen(script: readonly (Uint8Array | number)[]): Promise<number> {
  const serving = createServer((_, outgoing) => {
    const response = new Response(null, { headers: { 'content-type': 'text/event-stream' } })
    const reader = readerOf(script)
    writeStream(outgoing, response, {
      reader,
      stallTimeoutMs: 10_000,
      close: () => {},
      fail: () => {},
    })
  })
  server = serving
  await new Promise<void>((resolve) => serving.listen(0, '127.0.0.1', resolve))
  return (serving.address() as AddressInfo).port
}

/** Returns the response to bytes that are sent unchanged. */
function talk(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setEncoding('latin1')
    socket.on('data', (text) => (answer += text))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

const anyPiece = fc.uint8Array({ maxLength: 40_000 })
const anyScript = fc.array(fc.oneof(anyPiece, fc.nat(3)), { maxLength: 8 })
const bodyOf = (script: readonly (Uint8Array | number)[]): Buffer =>
  Buffer.concat(script.filter((piece) => typeof piece !== 'number'))

describe('chunks are written unchanged', () => {
  test('with chunked encoding of HTTP/1.1, for any content and timing', async () => {
    await fc.assert(
      fc
        .asyncProperty(anyScript, async (script) => {
          const port = await listen(script)
          const response = await fetch(`http://127.0.0.1:${port}/`)
          const body = Buffer.from(await response.arrayBuffer())
          expect(body.equals(bodyOf(script))).toBe(true)
        })
        .afterEach(async () => {
          server?.closeAllConnections()
          await new Promise((resolve) => server?.close(resolve))
        }),
      { numRuns: 40 },
    )
  })

  test('to a client of HTTP/1.0 without chunks', async () => {
    const port = await listen([1, encoder.encode('data: a\n\n'), 2, encoder.encode('data: b\n\n')])
    const answer = await talk(port, 'GET / HTTP/1.0\r\n\r\n')
    expect(answer.split('\r\n\r\n')[1]).toBe('data: a\n\ndata: b\n\n')
  })

  test('to a client that sends two requests at once, one response after the other', async () => {
    const port = await listen([encoder.encode('first'), 1, encoder.encode('second')])
    const answer = await talk(
      port,
      request + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )
    const chunks = '5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n'
    expect(answer.split(chunks)).toHaveLength(3)
  })
})

/** A source that returns as many bytes as are taken, or is silent forever; `closed` resolves when it is closed. */
function createEndless(piece: Uint8Array | undefined, stallTimeoutMs = 60_000) {
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => (close = resolve))
  const reader: ChunkReader = {
    take: () => piece && { bytes: piece },
    wait: () => {},
    isOver: () => false,
    close: () => {},
  }
  return { closed, source: { reader, stallTimeoutMs, close, fail: close } }
}

/** Serves the given sources to one request after the other; resolves when all have arrived. */
async function listenTo(answers: readonly ((outgoing: ServerResponse) => void)[]) {
  const left = [...answers]
  let tell = (): void => {}
  const asked = new Promise<void>((resolve) => (tell = resolve))
  const serving = createServer((_, outgoing) => {
    left.shift()?.(outgoing)
    if (left.length === 0) tell()
  })
  server = serving
  await new Promise<void>((resolve) => serving.listen(0, '127.0.0.1', resolve))
  return { asked, port: (serving.address() as AddressInfo).port }
}

const request = 'GET / HTTP/1.1\r\nHost: mill\r\n\r\n'
const headers = { 'content-type': 'text/event-stream' }

describe('a source is closed', () => {
  test('when the connection fails, also while its response waits for another one', async () => {
    const endless = Array.from({ length: 12 }, () => createEndless(undefined))
    const { asked, port } = await listenTo(
      endless.map(
        ({ source }) =>
          (outgoing) =>
            writeStream(outgoing, new Response(null, { headers }), source),
      ),
    )
    const socket = connect(port, '127.0.0.1', () => socket.write(request.repeat(endless.length)))
    await asked
    socket.destroy()
    await Promise.all(endless.map(({ closed }) => closed))
  })

  test('when the connection failed before the response', async () => {
    const { closed, source } = createEndless(undefined)
    const { asked, port } = await listenTo([
      (outgoing) => {
        const answer = () => writeStream(outgoing, new Response(null, { headers }), source)
        outgoing.on('close', () => setImmediate(answer))
      },
    ])
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    await asked
    socket.destroy()
    await closed
  })

  test('when its reader reads nothing for too long, also while its response waits for another one', async () => {
    const silent = createEndless(undefined)
    const stalled = createEndless(new Uint8Array(65_536), 10)
    const { port } = await listenTo(
      [silent, stalled].map(
        ({ source }) =>
          (outgoing) =>
            writeStream(outgoing, new Response(null, { headers }), source),
      ),
    )
    const socket = connect(port, '127.0.0.1', () => socket.write(request.repeat(2)))
    await stalled.closed
    socket.destroy()
    await silent.closed
  })
})

test('a reader is disconnected after a failure, also if the failure cannot be reported', async () => {
  const pieces = [{ bytes: encoder.encode('data: a\n\n') }]
  const { source } = createEndless(undefined)
  const reader: ChunkReader = {
    ...source.reader,
    take: () => pieces.shift(),
    wait: (_, onError) => void setImmediate(onError, new Error('failed')),
  }
  const fail = (): never => {
    throw new Error('not told')
  }
  const { port } = await listenTo([
    (outgoing) =>
      writeStream(outgoing, new Response(null, { headers }), { ...source, reader, fail }),
  ])
  const uncaught = await uncaughtIn(async () => {
    expect(await talk(port, request)).toContain('data: a')
  })
  expect(uncaught.map(String)).toEqual(['Error: not told'])
})
