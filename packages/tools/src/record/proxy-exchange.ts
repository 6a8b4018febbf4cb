import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
  createServer,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { RecordingEnd } from '../recordings/index.ts'
import {
  createExchangeLog,
  type ExchangeLog,
  type ExchangeLogOptions,
  type ExchangeReport,
} from './exchange-log.ts'
import { toForwarded, toRecordedHeaders } from './forwarded-headers.ts'
import { pump } from './pump.ts'
import { listen, type RunningServer } from 'millrace/node'

interface ProxyExchangeOptions extends Omit<ExchangeLogOptions, 'request'> {
  readonly target: URL
  readonly onEnd: (report: ExchangeReport) => void
}

interface LiveExchange {
  /** Cuts it, unless it is over. */
  stop(): void
  /** Resolves when it is over and its recording is complete. */
  readonly done: Promise<void>
}

/** Forwards a request to the endpoint and its response to the client, byte for byte, and records both. */
function proxyExchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, onEnd, ...options }: ProxyExchangeOptions,
): LiveExchange {
  const { method = 'GET', url: path = '/' } = incoming
  const request = { method, path, headers: toRecordedHeaders(incoming.rawHeaders) }
  const log = createExchangeLog({ ...options, request })
  const upstream = openUpstream(target, incoming)
  let isOver = false
  let resolveDone = (): void => {}
  const done = new Promise<void>((resolve) => (resolveDone = resolve))

  const finish = (end: RecordingEnd, problem?: string): void => {
    if (isOver) return
    isOver = true
    upstream.destroy()
    void log.close(end, problem).then(onEnd).finally(resolveDone)
  }

  pump(incoming, (chunk) => {
    log.feedRequest(chunk)
    upstream.write(chunk)
    return [upstream]
  })
  incoming.on('end', () => upstream.end())
  upstream.on('response', (answer) => passOn(answer, outgoing, log, finish))
  upstream.on('error', (error) => {
    const problem = `${target.host} cannot be reached: ${error.message || error.name}`
    if (!isOver && !outgoing.headersSent) refuse(outgoing, 502, problem)
    finish('error', problem)
  })
  // A client that disconnects aborts its request.
  outgoing.on('close', () => finish('cut'))
  outgoing.on('error', () => outgoing.destroy())
  const stop = (): void => {
    finish('cut')
    outgoing.destroy()
  }
  return { stop, done }
}

function passOn(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  log: ExchangeLog,
  finish: (end: RecordingEnd, problem?: string) => void,
): void {
  log.openResponse(answer)
  const status = answer.statusCode ?? 502
  outgoing.writeHead(status, answer.statusMessage, toForwarded(answer.rawHeaders))
  outgoing.flushHeaders()
  pump(answer, (chunk) => {
    outgoing.write(chunk)
    return [outgoing, ...log.feedResponse(chunk)]
  })
  answer.on('end', () => {
    outgoing.end()
    finish('complete')
  })
  answer.on('error', (error) => {
    finish('error', error.message)
    outgoing.destroy()
  })
}

function openUpstream(target: URL, incoming: IncomingMessage): ClientRequest {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const url = new URL(target.origin + target.pathname.replace(/\/$/, '') + (incoming.url ?? '/'))
  const headers = toForwarded(incoming.rawHeaders, {
    host: target.host,
    // Compressed bodies cannot be scanned for secrets.
    'accept-encoding': 'identity',
  })
  // A new connection, because the endpoint may close a kept one while a request is in transit.
  return send(url, { method: incoming.method ?? 'GET', headers, agent: false })
}

/** Responds with an error in the format that both APIs share. */
function refuse(outgoing: ServerResponse, status: number, message: string): void {
  const error = { type: 'api_error', message, code: null, param: null }
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ type: 'error', error }))
}

interface RecordingProxyOptions extends ProxyExchangeOptions {
  readonly port: number
  readonly host: string
}

/** Starts a proxy in front of an endpoint that records its exchanges. Closing it cuts active ones. */
export function startRecordingProxy({
  port,
  host,
  ...options
}: RecordingProxyOptions): Promise<RunningServer> {
  const live = new Set<LiveExchange>()
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/')) {
      return refuse(outgoing, 400, 'Request a path; this proxy has only one endpoint.')
    }
    const exchange = proxyExchange(incoming, outgoing, options)
    live.add(exchange)
    void exchange.done.then(() => live.delete(exchange))
  })
  const onClose = async (): Promise<void> => {
    const open = [...live]
    for (const exchange of open) exchange.stop()
    await Promise.all(open.map(({ done }) => done))
  }
  return listen(server, { port, host, closeGraceMs: 100, onClose })
}
