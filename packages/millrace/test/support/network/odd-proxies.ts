import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip } from 'node:zlib'

/** The misbehavior of a proxy. */
export interface Oddity {
  /** Changes the request to the server. */
  readonly path?: (path: string) => string | undefined
  readonly requestHeaders?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders
  readonly answerHeaders?: (
    headers: IncomingHttpHeaders,
    asked: IncomingMessage,
  ) => IncomingHttpHeaders
  /** Passes a body on in a modified way. */
  readonly pass?: (given: IncomingMessage, answer: ServerResponse, asked: IncomingMessage) => void
}

/** A listening server. */
export interface OddServer {
  readonly url: string
  close(): Promise<void>
}

/** A server with fixed responses. */
export async function startOddServer(listener: RequestListener): Promise<OddServer> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A proxy in front of a server. */
export function startOddProxy(target: string, oddity: Oddity = {}): Promise<OddServer> {
  const { path = (same) => same, requestHeaders = (same) => same } = oddity
  const { answerHeaders = (same) => same, pass = passOn } = oddity
  return startOddServer((asked, answer) => {
    const wanted = path(asked.url ?? '/')
    if (wanted === undefined) return void answer.writeHead(404).end('nothing here')
    const forward = request(`${target}${wanted}`, {
      method: asked.method,
      headers: requestHeaders({ ...asked.headers, 'x-forwarded-for': '127.0.0.1' }),
      agent: false,
    })
    forward.on('error', () => answer.destroy())
    forward.on('response', (given) => {
      given.on('error', () => answer.destroy())
      answer.writeHead(given.statusCode ?? 502, answerHeaders(given.headers, asked))
      answer.flushHeaders()
      pass(given, answer, asked)
    })
    answer.on('close', () => forward.destroy())
    asked.pipe(forward)
  })
}

function passOn(given: IncomingMessage, answer: ServerResponse): void {
  given.pipe(answer)
}

const isStream = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true

/** Without some headers. */
export function without(...names: string[]) {
  return (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

/** Collects bytes up to a number, or to the end of the body. */
export function buffers(maxBytes: number): Oddity {
  return {
    pass: (given, answer) => {
      let held: Buffer = Buffer.alloc(0)
      given.on('data', (chunk: Buffer) => {
        held = Buffer.concat([held, chunk])
        while (held.length >= maxBytes) {
          answer.write(held.subarray(0, maxBytes))
          held = held.subarray(maxBytes)
        }
      })
      given.on('end', () => answer.end(held))
    },
  }
}

const isCompressed = (given: IncomingHttpHeaders, asked: IncomingMessage): boolean =>
  isStream(given) && String(asked.headers['accept-encoding']).includes('gzip')

/** Compresses streams if the client accepts that, and passes on its output when a block is full. */
export const gzips: Oddity = {
  answerHeaders: (headers, asked) =>
    isCompressed(headers, asked) ? { ...headers, 'content-encoding': 'gzip' } : headers,
  pass: (given, answer, asked) => {
    if (isCompressed(given.headers, asked)) given.pipe(createGzip()).pipe(answer)
    else passOn(given, answer)
  },
}

/** Closes streams after a silence that the request defines: other streams may only be slow. */
export function cutsIdle(idleMs: number): Oddity {
  return {
    pass: (given, answer, asked) => {
      if (!/[?&]idle_ms=[1-9]/.test(asked.url ?? '')) return passOn(given, answer)
      const cut = (): void => void answer.socket?.destroy()
      let timer = setTimeout(cut, idleMs)
      given.on('data', (chunk: Buffer) => {
        clearTimeout(timer)
        timer = setTimeout(cut, idleMs)
        answer.write(chunk)
      })
      given.on('end', () => answer.end())
      given.on('close', () => clearTimeout(timer))
    },
  }
}

/** Removes comments from streams. */
export const dropsComments: Oddity = {
  pass: (given, answer) => {
    if (!isStream(given.headers)) return passOn(given, answer)
    given.on('data', (chunk: Buffer) => {
      const rest = chunk.toString().replace(/^:.*\n\n?/gm, '')
      if (rest !== '') answer.write(rest)
    })
    given.on('end', () => answer.end())
  },
}
