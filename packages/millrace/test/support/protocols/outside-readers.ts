import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fetchServerSentEvents } from '@tanstack/ai-client'
import { EventSource } from 'eventsource'
import type { Logged } from '../frames/logged.ts'

/** The content of an `EventSource` when it stopped reconnecting. */
export interface SourceReading {
  readonly messages: readonly Logged[]
  /** The number of ends that it received. */
  readonly dones: number
  /** The status after which it stopped. */
  readonly status: number | undefined
}

/** Reads with the `EventSource` of npm, which reconnects by itself until a server sends an end. */
export function readByEventSource(url: string): Promise<SourceReading> {
  const source = new EventSource(url)
  const messages: Logged[] = []
  let dones = 0
  source.addEventListener('message', ({ lastEventId: id, data }: MessageEvent<string>) => {
    if (data === '[DONE]') dones++
    else messages.push({ id, data })
  })
  return new Promise((resolve) => {
    source.addEventListener('error', ({ code: status }) => {
      if (source.readyState === EventSource.CLOSED) resolve({ messages, dones, status })
    })
  })
}

/** The output of TanStack's adapter. */
export interface AdapterReading {
  /** Its frames, in order, including its own end. */
  readonly chunks: readonly unknown[]
  /** Each reconnection: the `Last-Event-ID` that it sent, and the number of its chunks by then. */
  readonly returns: readonly { readonly lastEventId: number; readonly chunks: number }[]
}

/** Reads one run with TanStack's adapter: one that it joins, or one that it requests with `connect`. */
export async function readByTanStack(
  url: string,
  connectBy?: typeof fetch,
): Promise<AdapterReading> {
  const chunks: unknown[] = []
  const returns: { lastEventId: number; chunks: number }[] = []
  const fetchClient: typeof fetch = (target, init) => {
    const header = new Headers(init?.headers).get('last-event-id')
    if (header !== null) returns.push({ lastEventId: Number(header), chunks: chunks.length })
    return (connectBy ?? fetch)(target, init)
  }
  const reconnect = { delayMs: 5, maxAttempts: 1_000 }
  const adapter = fetchServerSentEvents(url, { fetchClient, reconnect })
  const stream = connectBy === undefined ? adapter.joinRun('run') : adapter.connect([])
  for await (const chunk of stream) chunks.push(chunk)
  return { chunks, returns }
}

/** One call of curl: its output, and its exit code. */
export interface CurlOutput {
  readonly text: string
  readonly code: number
}

/** Reads with curl, unbuffered, until the body ends, is interrupted or the time is over. */
export async function readByCurl(url: string, ...options: readonly string[]): Promise<CurlOutput> {
  const child = spawn('curl', ['--silent', '--no-buffer', '--noproxy', '*', ...options, url])
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number]
  return { text: Buffer.concat(chunks).toString(), code }
}
