import type { JsonObject } from '../json/index.ts'
import { encodeSse, SSE_HEADERS } from '../sse/index.ts'
import { toErrorResponse } from './api-error.ts'
import { toByteStream } from './byte-stream.ts'
import { type Pace, type PacedFrame, paceFrames } from './pace.ts'
import { createId, createRandom } from './random.ts'
import type { ScriptedReply } from './scenario.ts'
import {
  type MessageFacts,
  type ScriptEvent,
  scriptEvents,
  scriptMessage,
} from './script-message.ts'

/** What an answer depends on besides the script. */
export interface AnswerOptions {
  readonly model: string
  readonly inputTokens: number
  readonly requestId: string
  /** The seed of this one request. */
  readonly seed: string
}

/** Answers with a whole message, or with the error that the script has in store. */
export function respondWhole(reply: ScriptedReply, options: AnswerOptions): Response {
  const { requestId, seed } = options
  const failing = reply.blocks.find((block) => block.type === 'error')
  if (failing !== undefined) return toErrorResponse(failing.error, requestId)
  const message = scriptMessage(reply, toFacts(options), createRandom(`${seed}/script`))
  return Response.json(message, { headers: { 'request-id': requestId } })
}

/** Answers with a stream that stops when the request is aborted or its body cancelled. */
export function respondStreaming(
  reply: ScriptedReply,
  options: AnswerOptions & { readonly pace: Pace | 'instant'; readonly signal: AbortSignal },
): Response {
  const { requestId, seed, pace, signal } = options
  const events = scriptEvents(reply, toFacts(options), createRandom(`${seed}/script`))
  // Chance of its own, so that the pace changes neither ids nor pieces.
  const random = createRandom(`${seed}/pace`)
  const body = toByteStream(
    (stop) => paceFrames(toFrames(events), { pace, random, signal: stop }),
    signal,
  )
  return new Response(body, { headers: { ...SSE_HEADERS, 'request-id': requestId } })
}

function toFacts({ model, inputTokens, seed }: AnswerOptions): MessageFacts {
  return { id: createId('msg', createRandom(`${seed}/message`)), model, inputTokens }
}

function* toFrames(events: Iterable<ScriptEvent>): Generator<PacedFrame> {
  for (const { event, tokens } of events) yield { frame: toFrame(event), tokens }
}

function toFrame(event: JsonObject): string {
  return encodeSse({ event: String(event['type']), data: JSON.stringify(event) })
}
