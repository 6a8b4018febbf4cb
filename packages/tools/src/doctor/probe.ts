import { isJsonArray, type JsonValue, parseJsonObject, createSseDecoder, DONE_DATA } from 'millrace'
import { type Exchange, openExchange } from './exchange.ts'

/** The requested stream, and the options of its request. */
export interface ProbeOptions {
  readonly frames: number
  readonly intervalMs: number
  readonly idleMs?: number
  /** Interval of comments in the pause; 0 disables them. */
  readonly heartbeatMs?: number
  readonly padBytes?: number
  /** The position after which to resume, sent in the URL. */
  readonly cursor?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Closes the connection after this frame. */
  readonly cutAfter?: number
}

/** The address that probes use, and their limits. */
export interface ProbePlace {
  readonly base: URL
  readonly token: string | undefined
  readonly signal: AbortSignal
  /** Time to wait beyond the expected end. */
  readonly graceMs: number
  /** A monotonic clock. */
  readonly now: () => number
  readonly wallNow: () => number
}

/** A frame with its send time and its arrival time, each by the clock of its side. */
interface ProbedFrame {
  readonly id: number
  readonly elapsedMs: number
  readonly arrivedMs: number
}

/** The description of a request by its server. */
export interface Greeting {
  readonly headers: readonly string[]
  readonly forwarded: readonly string[]
  readonly heartbeatMs: number
  readonly timeMs: number
  readonly version: string | undefined
  readonly arrivedMs: number
}

/** The observations of one stream; times count from the request. */
export interface Probe {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Wall-clock time of the request. */
  readonly startedAtMs: number
  readonly headersMs: number
  /** Absent if the response is not such a stream. */
  readonly greeting: Greeting | undefined
  readonly frames: readonly ProbedFrame[]
  readonly commentsMs: readonly number[]
  readonly chunks: readonly { readonly atMs: number; readonly bytes: number }[]
  /** The beginning of the body. */
  readonly text: string
  /** `done` with its last frame, `stopped` by the client, `cut` by others, `silent` if it stalled. */
  readonly end: 'done' | 'stopped' | 'cut' | 'silent'
  readonly endedMs: number
}

/** Maximum text kept to describe a response that is not a stream. */
const maxText = 4_096

/** Requests a stream of paced frames, and records when each part arrives. */
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
  const greeting = parseJsonObject(data)
  if (greeting === undefined) return undefined
  const namesOf = (value: JsonValue | undefined): readonly string[] =>
    isJsonArray(value) ? value.filter((name) => typeof name === 'string') : []
  const version = greeting['version']
  return {
    headers: namesOf(greeting['headers']),
    forwarded: namesOf(greeting['forwarded']),
    heartbeatMs: Number(greeting['heartbeat_ms']),
    timeMs: Number(greeting['time_ms']),
    version: typeof version === 'string' ? version : undefined,
    arrivedMs,
  }
}
