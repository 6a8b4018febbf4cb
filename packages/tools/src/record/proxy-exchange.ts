import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { RecordingEnd } from '../recordings/index.ts'
import { createExchangeLog, type ExchangeLog, type ExchangeLogOptions } from './exchange-log.ts'
import type { ExchangeReport } from './exchange-report.ts'
import { toForwarded, toRecordedHeaders } from './forwarded-headers.ts'
import { pump } from './pump.ts'

/** Where an exchange goes, and where it is written down. */
export interface ProxyExchangeOptions extends Omit<ExchangeLogOptions, 'request'> {
  readonly target: URL
  readonly onEnd: (report: ExchangeReport) => void
}

/** An exchange under way. */
export interface LiveExchange {
  /** Cuts it, if it is not over yet. */
  stop(): void
  /** Resolves when it is over and its recording is whole. */
  readonly done: Promise<void>
}

/** Passes a request on to the endpoint and its answer back, byte for byte, and writes both down. */
export function proxyExchange(
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
  // A client that leaves takes its request along.
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
    // What is compressed could not be looked into.
    'accept-encoding': 'identity',
  })
  // A connection of its own: one that is kept may be closed by the endpoint while a request is on its way.
  return send(url, { method: incoming.method ?? 'GET', headers, agent: false })
}

/** Answers in the shape that both APIs give their errors. */
export function refuse(outgoing: ServerResponse, status: number, message: string): void {
  const error = { type: 'api_error', message, code: null, param: null }
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ type: 'error', error }))
}
