import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fetchServerSentEvents } from '@tanstack/ai-client'
import { EventSource } from 'eventsource'
import type { Logged } from '../frames/logged.ts'

/** What an `EventSource` has got by the time it gave up coming back. */
export interface SourceReading {
  readonly messages: readonly Logged[]
  /** How often it was told that the stream is over. */
  readonly dones: number
  /** The status that made it give up. */
  readonly status: number | undefined
}

/** Reads with the `EventSource` of npm, which comes back by itself until a server tells it not to. */
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

/** What TanStack's adapter has given. */
export interface AdapterReading {
  /** What it took for messages, in order, its own end among them. */
  readonly chunks: readonly unknown[]
  /** Each time it came back: the `Last-Event-ID` that it sent, and how many chunks it had given by then. */
  readonly returns: readonly { readonly lastEventId: number; readonly chunks: number }[]
}

/** The reading of one run by TanStack's adapter: of one that it joins, or of one that it asks for with `connect`. */
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

/** One call of curl: what it wrote, and how it ended. */
export interface CurlOutput {
  readonly text: string
  readonly code: number
}

/** Reads with curl, unbuffered, until the body ends, breaks off or the time is over. */
export async function readByCurl(url: string, ...options: readonly string[]): Promise<CurlOutput> {
  const child = spawn('curl', ['--silent', '--no-buffer', '--noproxy', '*', ...options, url])
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number]
  return { text: Buffer.concat(chunks).toString(), code }
}
