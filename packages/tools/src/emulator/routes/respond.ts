import { type JsonObject, SSE_HEADERS } from 'millrace'
import { toByteStream } from '../../streams/to-byte-stream.ts'
import { toErrorResponse, errorTypeOf, rateLimitHeaders } from './api-error.ts'
import { findErrorFault, type Fault, faultsOf, type StatusFault } from '../faults/fault.ts'
import { frameStream, type WireFrame, type WireStream } from '../faults/frame-stream.ts'
import { applyByteFaults } from '../faults/apply-byte-faults.ts'
import { applyFrameFaults } from '../faults/apply-frame-faults.ts'
import { type Pace, paceFrames } from '../pace.ts'
import { createId, createRandom, type Random } from '../random.ts'
import { toEvents, toMessage } from '../script/message-events.ts'
import type { MessageScript } from '../script/message-script.ts'
import { sleep } from '../../streams/sleep.ts'

interface AnswerOptions {
  readonly requestId: string
  readonly seed: string
  readonly headers: Readonly<Record<string, string>>
  readonly faults: readonly Fault[]
  readonly pace: Pace | 'instant'
  readonly speed: number
  readonly signal: AbortSignal
  /** Called when no more of a stream is sent, because it has ended or its reader has left. */
  readonly onEnd: () => void
}

/** Responds with a whole message. */
export function respondWhole(script: MessageScript, options: AnswerOptions): Response {
  const { requestId, headers, faults } = options
  const error = script.error ?? findErrorFault(faults)
  if (error !== undefined) return toErrorResponse(error, { requestId, headers })
  return respondJson(toMessage(script), options)
}

/** Answers with a JSON object of either API, and applies the faults that can break one. */
export function respondJson(value: JsonObject, options: AnswerOptions): Response {
  const { headers, faults, signal } = options
  const text = JSON.stringify(value)
  const broken = faults.map((fault) => toByteFault(fault, text.length))
  const applyFaults = (stop: AbortSignal) => applyByteFaults(once(text), broken, stop)
  const body = broken.length === 0 ? text : toByteStream(applyFaults, signal)
  return new Response(body, { headers: { ...headers, 'content-type': 'application/json' } })
}

/** Responds with the stream of a message. */
export function respondStreaming(script: MessageScript, options: AnswerOptions): Response {
  const id = createId('msg', createRandom(`${options.seed}/retold`))
  const stream: WireStream = {
    frames: () => toFrames(script, createRandom(`${options.seed}/padding`)),
    copyFrames: () => toFrames({ ...script, id }, createRandom(`${options.seed}/padding`)),
    toErrorFrame: (error) => toFrame({ type: 'error', error: { ...error } }),
    pingFrame: toFrame({ type: 'ping' }),
  }
  return respondFrames(stream, options)
}

/** Answers with a stream of either API, at its pace and with its faults; stops when the request is aborted. */
export function respondFrames(stream: WireStream, options: AnswerOptions): Response {
  const { seed, faults, pace, speed, headers, signal, onEnd } = options
  const frames = frameStream(
    applyFrameFaults(stream, faults, createRandom(`${seed}/faults`)),
    faults,
  )
  // A separate generator, so that the pace changes neither ids nor chunks.
  const random = createRandom(`${seed}/pace`)
  const body = toByteStream((stop) => {
    stop.addEventListener('abort', onEnd, { once: true })
    const pieces = paceFrames(frames, { pace, speed, random, signal: stop })
    return applyByteFaults(pieces, faults, stop)
  }, signal)
  return new Response(body, { headers: { ...headers, ...SSE_HEADERS } })
}

function* toFrames(script: MessageScript, random: Random): Generator<WireFrame> {
  for (const { event, tokens, waitMs } of toEvents(script)) {
    yield { ...toFrame(event, random), tokens, waitMs }
  }
}

function toFrame(event: JsonObject, random?: Random): WireFrame {
  const json = JSON.stringify(event)
  const data = random === undefined ? json : pad(json, random)
  return { event: String(event['type']), data, tokens: 0 }
}

/** About half of the recorded frames have up to fifteen spaces before their last brace. */
function pad(json: string, random: Random): string {
  const spaces = Math.max(0, random.between(-15, 15))
  return `${json.slice(0, -1)}${' '.repeat(spaces)}}`
}

/** A message that is not streamed has no events; the fault applies to the middle of its bytes. */
function toByteFault(fault: Fault, length: number): Fault {
  if (fault.kind === 'bad_json') return { kind: 'end', at: { byte: Math.floor(length / 2) } }
  const isBreak = fault.kind === 'cut' || fault.kind === 'end' || fault.kind === 'stall'
  if (!isBreak || (fault.at !== undefined && 'byte' in fault.at)) return fault
  return { ...fault, at: { byte: Math.floor(length / 2) } }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

/** Waits for the delays that faults put before a response; throws the abort reason if the request is aborted. */
export async function waitForHeaders(faults: readonly Fault[], signal: AbortSignal): Promise<void> {
  for (const { waitMs } of faultsOf(faults, 'slow_headers')) await sleep(waitMs, signal)
  signal.throwIfAborted()
}

/** Returns the error that a fault sends instead of an answer, if there is one. */
export function findStatusFault(
  faults: readonly Fault[],
  { requestId, now }: { readonly requestId: string; readonly now: number },
): Response | undefined {
  const fault = faultsOf(faults, 'status')[0]
  if (fault === undefined) return undefined
  const { status } = fault
  const type = errorTypeOf(status)
  const message = `The emulator was asked to answer with ${status}.`
  const headers = { ...(status === 429 && rateLimitHeaders(now, true)), ...retryHeaders(fault) }
  return toErrorResponse({ type, message, ...fault.error }, { requestId, status, headers })
}

function retryHeaders({ retryAfterS }: StatusFault): Record<string, string> {
  return retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
}
