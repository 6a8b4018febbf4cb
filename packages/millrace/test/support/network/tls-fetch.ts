import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import type { FetchFunction } from '../../../src/client/session.ts'

/** The version of HTTP that a client speaks. */
export type HttpVersion = 'HTTP/1.1' | 'HTTP/2'

/** A `fetch` over TLS that trusts any certificate and keeps its connections. */
export interface TlsFetch {
  readonly fetch: FetchFunction
  close(): void
}

/** Opens connections of one version of HTTP to a server. */
export function openTlsFetch(version: HttpVersion, origin: string): TlsFetch {
  return version === 'HTTP/2' ? openHttp2(origin) : openHttp1()
}

function openHttp1(): TlsFetch {
  const agent = new Agent({
    keepAlive: true,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  const fetch: FetchFunction = async (url, init) => {
    const { method, headers, body, signal } = await read(url, init)
    const asked = httpsRequest(url, { agent, method, headers: { ...headers } })
    signal.addEventListener('abort', () => asked.destroy(signal.reason))
    asked.end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    if (response.httpVersion !== '1.1') throw new Error(`The proxy spoke ${response.httpVersion}.`)
    const fields = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    return toResponse(response, response.statusCode ?? 0, fields)
  }
  return { fetch, close: () => agent.destroy() }
}

function openHttp2(origin: string): TlsFetch {
  const session = connectHttp2(origin, { rejectUnauthorized: false })
  session.on('error', () => {})
  const fetch: FetchFunction = async (url, init) => {
    const { method, headers, body, signal } = await read(url, init)
    const { pathname, search } = new URL(url)
    const asked = { ...headers, ':method': method, ':path': pathname + search }
    const stream = session.request(asked, { endStream: body.length === 0 })
    signal.addEventListener('abort', () => stream.close())
    if (body.length > 0) stream.end(body)
    const [answer] = await once(stream, 'response')
    const fields = Object.entries(answer as Record<string, string>).filter(
      ([name]) => !name.startsWith(':'),
    )
    return toResponse(stream, Number(answer[':status']), fields)
  }
  return { fetch, close: () => session.destroy() }
}

async function read(url: string, init: RequestInit) {
  const request = new Request(url, init)
  const { method, headers, signal } = request
  const body = Buffer.from(await request.arrayBuffer())
  return { method, headers: Object.fromEntries(headers), body, signal }
}

/** Creates a response whose body is read at the pace of its reader; cancelling it ends the stream. */
function toResponse(stream: Readable, status: number, headers: [string, string][]): Response {
  const pieces = stream[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value as Uint8Array)
      },
      cancel: () => void stream.destroy(),
    },
    { highWaterMark: 0 },
  )
  const isEmpty = status === 204 || status === 304
  return new Response(isEmpty ? null : body, { status, headers })
}
