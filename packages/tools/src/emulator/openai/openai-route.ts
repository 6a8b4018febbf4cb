import { isMillraceError } from 'millrace'
import type { EmulatorContext, Exchange } from '../emulator-context.ts'
import { type ChosenReply, chooseReply } from '../replies/choose-reply.ts'
import { waitForHeaders, respondFrames, respondJson } from '../routes/respond.ts'
import { faultsOf, type Fault, findErrorFault } from '../faults/fault.ts'
import { modelInfos } from '../routes/models-route.ts'
import {
  type ChatError,
  chatErrorOf,
  emptyFrame,
  toChatError,
  toChatErrorResponse,
  toChunkFrames,
  toCompletion,
  toErrorFrame,
} from './openai-chunks.ts'
import { type ChatRequest, decodeChatRequest } from './openai-request.ts'
import { createId, createRandom } from '../random.ts'
import { readBody } from '../request/request-body.ts'
import { toMessageScript } from '../script/message-script.ts'

type Answer = (context: EmulatorContext, exchange: Exchange) => Promise<Response>

/** Routes of chat completions. Both APIs have a list of models; the headers of the Messages API select its own. */
const routes: readonly { readonly path: string; readonly answer: Answer }[] = [
  { path: 'POST /v1/chat/completions', answer: createCompletion },
  { path: 'GET /v1/models', answer: listModels },
]

/** Answers a request of OpenAI's API; returns undefined for any other request. */
export function answerChat(
  context: EmulatorContext,
  exchange: Exchange,
): Promise<Response> | undefined {
  const { request, requestId } = exchange
  const { pathname } = new URL(request.url)
  const route = routes.find(({ path }) => path === `${request.method} ${pathname}`)
  const isOther = request.headers.has('anthropic-version') || request.headers.has('x-api-key')
  if (route === undefined || isOther) return undefined
  const fail = (error: ChatError): Response => toChatErrorResponse(error, headersOf(requestId))
  if (!/^Bearer\s+\S/i.test(request.headers.get('authorization') ?? '')) {
    return Promise.resolve(fail(noKey))
  }
  return route.answer(context, exchange).catch((error: unknown) => {
    // An aborted request gets no response, as over a network.
    request.signal.throwIfAborted()
    return fail(toRequestError(error))
  })
}

/** `POST /v1/chat/completions`: sends the scripted reply, streamed or whole. */
async function createCompletion(context: EmulatorContext, exchange: Exchange): Promise<Response> {
  const { request, requestId } = exchange
  const { text, json } = await readBody(request, context.maxBodyBytes)
  const decoded = decodeChatRequest(json)
  const chosen = chooseReply(context, exchange, { asked: decoded, body: text })
  await waitForHeaders(chosen.faults, request.signal)
  return (
    findStatusFault(chosen.faults, requestId) ?? respond(context, exchange, { decoded, ...chosen })
  )
}

interface Completion extends ChosenReply {
  readonly decoded: ChatRequest
}

function respond(
  { now, speed }: EmulatorContext,
  { request, requestId, seed }: Exchange,
  { decoded, reply, faults, pace, onEnd }: Completion,
): Response {
  const { model, inputTokens, maxTokens, stopSequences, stream, includesUsage } = decoded
  const facts = { id: '', model, inputTokens, maxTokens, stopSequences }
  const limits = { eagerTools: new Set<string>(), unansweredCalls: [] }
  const script = toMessageScript(reply, { ...facts, ...limits }, createRandom(`${seed}/script`))
  const identity = (part: string) => ({
    id: createId('chatcmpl', createRandom(`${seed}/${part}`)).replace('_', '-'),
    created: Math.floor(now() / 1000),
    includesUsage,
  })
  const headers = headersOf(requestId)
  const options = { requestId, seed, headers, pace, speed, signal: request.signal, onEnd }
  if (stream) {
    const frames = {
      frames: () => toChunkFrames(script, identity('message')),
      copyFrames: () => toChunkFrames(script, identity('retold')),
      toErrorFrame,
      pingFrame: emptyFrame,
    }
    // Chunks have event names only so that faults can find their place; the names are not sent.
    return respondFrames(frames, { ...options, faults: [...faults, { kind: 'no_event_names' }] })
  }
  const error = script.error ?? findErrorFault(faults)
  if (error !== undefined) return toChatErrorResponse(toChatError(error), headers)
  return respondJson(toCompletion(script, identity('message')), { ...options, faults })
}

/** `GET /v1/models`: returns all models. */
async function listModels(_: EmulatorContext, { requestId }: Exchange): Promise<Response> {
  const data = modelInfos.map(({ id }) => ({
    id: String(id),
    object: 'model',
    created: 0,
    owned_by: 'millrace',
  }))
  return Response.json({ object: 'list', data }, { headers: headersOf(requestId) })
}

function findStatusFault(faults: readonly Fault[], requestId: string): Response | undefined {
  const [fault] = faultsOf(faults, 'status')
  if (fault === undefined) return undefined
  const { status, retryAfterS, error } = fault
  const message = error?.message ?? `The emulator was asked to answer with ${status}.`
  const wait = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
  return toChatErrorResponse(chatErrorOf(status, message), { ...headersOf(requestId), ...wait })
}

function headersOf(requestId: string): Readonly<Record<string, string>> {
  return { 'x-request-id': requestId, 'openai-version': '2020-10-01' }
}

const noKey = toChatError({
  type: 'authentication_error',
  message: 'A key is missing: send Authorization: Bearer. Any key will do here.',
})

/** The path of the problem precedes the colon of the message. */
function toRequestError(error: unknown): ChatError {
  const message = error instanceof Error ? error.message : String(error)
  if (!isMillraceError(error)) return toChatError({ type: 'api_error', message })
  if (error.code === 'payload_too_large') return toChatError({ type: 'request_too_large', message })
  const param = /^([\w.]+): /.exec(message)?.[1] ?? null
  return { ...toChatError({ type: 'invalid_request_error', message }), param }
}
