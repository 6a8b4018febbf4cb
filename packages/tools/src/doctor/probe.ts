import { isJsonArray, type JsonValue, parseJsonObject } from 'millrace'
import { createSseDecoder, DONE_DATA } from 'millrace'
import { type Exchange, openExchange } from './exchange.ts'

/** What a server is asked to send, and how it is asked. */
export interface ProbeOptions {
  readonly frames: number
  readonly intervalMs: number
  readonly idleMs?: number
  /** How often a comment is sent in the pause; 0 is never. */
  readonly heartbeatMs?: number
  readonly padBytes?: number
  /** Where to go on, told in the address. */
  readonly cursor?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Hangs up when this frame has come. */
  readonly cutAfter?: number
}

/** From where a stream is probed. */
export interface ProbePlace {
  readonly base: URL
  readonly token: string | undefined
  readonly signal: AbortSignal
  /** How long to wait for what should have come. */
  readonly graceMs: number
  /** A clock that no one sets. */
  readonly now: () => number
  /** The time of the day. */
  readonly wallNow: () => number
}

/** A frame, with when it was sent and when it came, each by the clock of its own side. */
export interface ProbedFrame {
  readonly id: number
  readonly elapsedMs: number
  readonly arrivedMs: number
}

/** What a server says of a request. */
export interface Greeting {
  readonly headers: readonly string[]
  readonly forwarded: readonly string[]
  readonly heartbeatMs: number
  readonly timeMs: number
  readonly version: string | undefined
  readonly arrivedMs: number
}

/** All that was seen of one stream; times count from when it was asked for. */
export interface Probe {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The time of the day when it was asked for. */
  readonly startedAtMs: number
  readonly headersMs: number
  /** Absent if what has answered is no such stream. */
  readonly greeting: Greeting | undefined
  readonly frames: readonly ProbedFrame[]
  readonly commentsMs: readonly number[]
  readonly chunks: readonly { readonly atMs: number; readonly bytes: number }[]
  /** The beginning of what came. */
  readonly text: string
  /** `done` with its last frame, `stopped` by us, `cut` by others, `silent` if it neither went on nor ended. */
  readonly end: 'done' | 'stopped' | 'cut' | 'silent'
  readonly endedMs: number
}

/** What answers that are no stream are told by. */
const maxText = 4_096

/** Asks for a stream of paced frames, and notes when each part of it comes. */
export async function probeStream(place: ProbePlace, options: ProbeOptions): Promise<Probe> {
  const { base, token, signal, graceMs, now, wallNow } = place
  const { frames, intervalMs, idleMs = 0, headers = {} } = options
  const startedAt = now()
  const startedAtMs = wallNow()
  const elapsed = (): number => now() - startedAt
  const timeout = AbortSignal.timeout(frames * intervalMs + idleMs + graceMs)
  const exchange = await openExchange(toAddress(base, options), {
    headers: {
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    signal: AbortSignal.any([signal, timeout]),
  })
  const headersMs = elapsed()
  const seen = createNotes(elapsed)
  const end = await readInto(seen, exchange, options.cutAfter, timeout)
  exchange.close()
  signal.throwIfAborted()
  const { status, headers: answered } = exchange
  return {
    status,
    headers: answered,
    startedAtMs,
    headersMs,
    ...seen.take(),
    end,
    endedMs: elapsed(),
  }
}

function toAddress(base: URL, options: ProbeOptions): URL {
  const query = {
    frames: options.frames,
    interval_ms: options.intervalMs,
    idle_ms: options.idleMs,
    heartbeat_ms: options.heartbeatMs,
    pad_bytes: options.padBytes,
    cursor: options.cursor,
  }
  const url = new URL('doctor/stream', base)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

async function readInto(
  seen: Notes,
  { body, close }: Exchange,
  cutAfter: number | undefined,
  timeout: AbortSignal,
): Promise<Probe['end']> {
  try {
    for await (const bytes of body) {
      seen.feed(bytes)
      if (seen.isDone()) return 'done'
      if (cutAfter !== undefined && seen.lastId() >= cutAfter) return 'stopped'
    }
    return 'cut'
  } catch {
    return timeout.aborted ? 'silent' : 'cut'
  } finally {
    close()
  }
}

type Notes = ReturnType<typeof createNotes>

function createNotes(elapsed: () => number) {
  const frames: ProbedFrame[] = []
  const commentsMs: number[] = []
  const chunks: { atMs: number; bytes: number }[] = []
  const start = new TextDecoder()
  let text = ''
  let greeting: Greeting | undefined
  let isDone = false
  const decoder = createSseDecoder({
    onComment: () => commentsMs.push(elapsed()),
    onEvent: ({ event, id, data }) => {
      if (data === DONE_DATA) isDone = true
      else if (event === 'request') greeting = toGreeting(data, elapsed())
      else if (id !== undefined) frames.push(toFrame(id, data, elapsed()))
    },
  })
  return {
    feed: (bytes: Uint8Array) => {
      chunks.push({ atMs: elapsed(), bytes: bytes.length })
      if (text.length < maxText) text += start.decode(bytes, { stream: true }).slice(0, maxText)
      decoder.feed(bytes)
    },
    isDone: () => isDone,
    lastId: () => frames.at(-1)?.id ?? 0,
    take: () => ({ greeting, frames, commentsMs, chunks, text }),
  }
}

function toFrame(id: string, data: string, arrivedMs: number): ProbedFrame {
  return { id: Number(id), elapsedMs: Number(parseJsonObject(data)?.['elapsed_ms']), arrivedMs }
}

function toGreeting(data: string, arrivedMs: number): Greeting | undefined {
  const told = parseJsonObject(data)
  if (told === undefined) return undefined
  const namesOf = (value: JsonValue | undefined): readonly string[] =>
    isJsonArray(value) ? value.filter((name) => typeof name === 'string') : []
  const version = told['version']
  return {
    headers: namesOf(told['headers']),
    forwarded: namesOf(told['forwarded']),
    heartbeatMs: Number(told['heartbeat_ms']),
    timeMs: Number(told['time_ms']),
    version: typeof version === 'string' ? version : undefined,
    arrivedMs,
  }
}
