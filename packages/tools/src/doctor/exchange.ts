import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** The options of a request; the signal aborts it at any time. */
export interface ExchangeOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** A response whose body is still to come. */
export interface Exchange {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly httpVersion: string
  /** The body, decompressed if it is compressed. */
  readonly body: AsyncIterable<Uint8Array>
  close(): void
}

/** Sends a request on a new connection, as a tab that opens a stream does. Redirects are not followed. */
export async function openExchange(url: URL, options: ExchangeOptions): Promise<Exchange> {
  const { method = 'GET', headers = {}, signal } = options
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  const request = open(url, {
    method,
    headers: { 'user-agent': 'millrace-doctor', ...headers },
    agent: false,
    signal,
  })
  request.end()
  const response = await untilAnswered(request)
  return {
    status: response.statusCode ?? 0,
    headers: toPlainHeaders(response),
    httpVersion: response.httpVersion,
    body: decompress(response),
    close: () => response.destroy(),
  }
}

function untilAnswered(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Later errors reach the reader of the body.
    request.on('error', reject)
  })
}

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function decompress(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? ''
  const decoder = decoders[encoding]?.()
  if (decoder === undefined) return response
  response.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => response.destroy())
  return response.pipe(decoder)
}

function toPlainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const pairs = Object.entries(headers).map(
    ([name, value]) => [name, [value].flat().join(', ')] as const,
  )
  return Object.fromEntries<string>(pairs)
}
