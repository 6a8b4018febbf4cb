import { MillraceError } from 'millrace'
import { toByteStream } from '../../streams/to-byte-stream.ts'
import type { RecordedHeaders, RecordedRequest, Recording } from '../recording.ts'
import { redactedValue } from 'millrace/redaction'
import { createRequestRedactor } from '../redaction/redact-request.ts'
import { routeOf } from './match-key.ts'
import { type Choice, createRecordingChooser } from './recording-chooser.ts'
import { sleep } from '../../streams/sleep.ts'

/** The clock of a replay. */
export interface Clock {
  /** Returns monotonic milliseconds. */
  now(): number
  /** Waits; resolves at once, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

const systemClock: Clock = { now: () => performance.now(), sleep }

/** `own`: the times of the recording. `instant`: without waiting. A number: a factor on the speed. */
export type ReplayPace = 'own' | 'instant' | number

/** Returns the time at which a chunk recorded at `ms` is due. */
function toDueMs(ms: number, pace: ReplayPace): number {
  if (pace === 'instant') return 0
  return pace === 'own' ? ms : ms / pace
}

/** Options of a replay. */
export interface ReplayOptions {
  readonly pace?: ReplayPace
  /** Called for each request with the recording that answers it, if there is one. */
  readonly onRequest?: (request: RecordedRequest, choice: Choice | undefined) => void
  /** A request with a larger body is answered in order, not by its prompt. */
  readonly maxBodyBytes?: number
  readonly clock?: Clock
}

/** An API that answers with recordings. */
export interface Replay {
  /** Answers a request; has the signature of `fetch`, so that a client can use it without a socket. */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>
}

/** Creates a replay that answers each request with the recording of the same request. */
export function createReplay(
  recordings: readonly Recording[],
  {
    pace = 'own',
    onRequest = () => {},
    maxBodyBytes = 64 * 1024 * 1024,
    clock = systemClock,
  }: ReplayOptions = {},
): Replay {
  if (typeof pace === 'number' && !(pace > 0)) {
    throw new MillraceError('bad_request', `pace must be own, instant or above 0, not ${pace}.`)
  }
  const chooseFor = createRecordingChooser(recordings)
  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const { signal } = request
      const asked = await toRecordedRequest(request, maxBodyBytes)
      const choice = chooseFor(asked)
      onRequest(asked, choice)
      if (choice === undefined) return toNotFound(asked)
      const { recording } = choice
      const waitMs = toDueMs(recording.response.waitMs, pace)
      if (waitMs > 0) await clock.sleep(waitMs, signal)
      signal.throwIfAborted()
      return toResponse(recording, { pace, clock, signal })
    },
  }
}

/** Recordings contain no secrets, so a request is redacted before it is compared with them. */
async function toRecordedRequest(request: Request, maxBodyBytes: number): Promise<RecordedRequest> {
  const { pathname, search } = new URL(request.url)
  const { method } = request
  const headers = Object.fromEntries(request.headers)
  const redactor = createRequestRedactor(
    { method, path: pathname + search, headers },
    { maxBodyBytes },
  )
  const reader = request.body?.getReader()
  for (;;) {
    const next = await reader?.read()
    if (next?.value === undefined) return redactor.finish()
    redactor.feed(next.value)
  }
}

/** Headers of the recorded connection, not of the response. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function toResponse(recording: Recording, options: ReplayBodyOptions): Response {
  const { status, headers } = recording.response
  // Some statuses allow no body at all.
  const isEmpty = recording.chunks.length === 0 && recording.end === 'complete'
  const body = isEmpty ? null : toReplayBody(recording, options)
  return new Response(body, { status, headers: toHeaders(headers) })
}

function toHeaders(headers: RecordedHeaders): [string, string][] {
  return Object.entries(headers).filter(
    ([name, value]) => value !== redactedValue && !connectionHeaders.has(name),
  )
}

/** Uses the error format that both APIs share. */
function toNotFound(request: RecordedRequest): Response {
  const message = `No recording answers ${routeOf(request)}; record this exchange, or name a file that has it.`
  const error = { type: 'not_found_error', message, code: null, param: null }
  return Response.json({ type: 'error', error }, { status: 404 })
}

interface ReplayBodyOptions {
  readonly pace: ReplayPace
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Streams the chunks of a recording, one by one at their times; a body that was cut fails at the same position. */
function toReplayBody(
  recording: Recording,
  { pace, clock, signal }: ReplayBodyOptions,
): ReadableStream<Uint8Array> {
  // Times are relative to this moment, so that a late timer or a slow reader does not slow the rest.
  const startMs = clock.now()
  const until = async (ms: number, stop: AbortSignal): Promise<void> => {
    const waitMs = startMs + toDueMs(ms, pace) - clock.now()
    if (waitMs > 0) await clock.sleep(waitMs, stop)
  }
  return toByteStream((stop) => replayChunks(recording, (ms) => until(ms, stop)), signal)
}

async function* replayChunks(
  { chunks, end, endMs }: Recording,
  until: (ms: number) => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { ms, bytes } of chunks) {
    await until(ms)
    // A copy: a reader may modify it.
    yield new Uint8Array(bytes)
  }
  await until(endMs)
  if (end !== 'complete') throw cutOff(end, chunks.length)
}

function cutOff(end: string, chunks: number): MillraceError {
  const message = `The recording ends here (${end}, after ${chunks} chunks), and so does its replay.`
  return new MillraceError('connection_lost', message)
}
