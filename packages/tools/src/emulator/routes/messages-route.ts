import type { JsonValue } from 'millrace'
import { toErrorResponse, toApiHeaders } from './api-error.ts'
import { chooseReply } from '../replies/choose-reply.ts'
import { findStatusFault, waitForHeaders, respondStreaming, respondWhole } from './respond.ts'
import type { EmulatorContext, Exchange } from '../emulator-context.ts'
import { checkChain } from '../request/message-chain.ts'
import { decodeMessagesRequest, type MessagesRequest } from '../request/messages-request.ts'
import { takesPrefill } from './models-route.ts'
import { unansweredCalls } from '../server-tool-blocks.ts'
import { createId, createRandom } from '../random.ts'
import { readBody } from '../request/request-body.ts'
import { toContent } from '../script/message-events.ts'
import { type MessageScript, toMessageScript } from '../script/message-script.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'

/** `POST /v1/messages`: sends the scripted reply, streamed or whole. */
export async function createMessage(
  context: EmulatorContext,
  exchange: Exchange,
): Promise<Response> {
  const { request, requestId, seed } = exchange
  const { signal } = request
  const { text, json } = await readBody(request, context.maxBodyBytes)
  const resolved = context.threads.resolve(json)
  if ('error' in resolved) return toErrorResponse(resolved.error, { requestId })
  const asked = decode(request, resolved.body, true)
  const { reply, faults, pace, onEnd } = chooseReply(context, exchange, { asked, body: text })
  await waitForHeaders(faults, signal)
  const now = context.now()
  const failure = findStatusFault(faults, { requestId, now })
  if (failure !== undefined) return failure
  const script = toScript(asked, reply, seed)
  context.threads.keep(resolved.body, script.id, toContent(script))
  const { speed } = context
  const headers = toApiHeaders(requestId, now)
  const options = { requestId, seed, headers, faults, pace, speed, signal, onEnd }
  return asked.stream ? respondStreaming(script, options) : respondWhole(script, options)
}

/** `POST /v1/messages/count_tokens`: estimates the tokens of a request. */
export async function countMessage(
  { maxBodyBytes, now }: EmulatorContext,
  { request, requestId, note }: Exchange,
): Promise<Response> {
  const { json } = await readBody(request, maxBodyBytes)
  const { inputTokens, model, notices } = decode(request, json, false)
  note({ model, notices })
  return Response.json({ input_tokens: inputTokens }, { headers: toApiHeaders(requestId, now()) })
}

function decode(request: Request, body: JsonValue, needsMaxTokens: boolean): MessagesRequest {
  const version = request.headers.get('anthropic-version')
  const decoded = decodeMessagesRequest(body, { version, needsMaxTokens })
  const { model, tools, messages } = decoded
  checkChain(messages, { takesPrefill: takesPrefill(model) && tools.size === 0 })
  return decoded
}

function toScript(request: MessagesRequest, reply: ScriptedReply, seed: string): MessageScript {
  const { model, inputTokens, maxTokens, stopSequences, eagerTools, messages } = request
  const answers = messages.filter(({ role }) => role === 'assistant')
  const facts = {
    id: createId('msg', createRandom(`${seed}/message`)),
    model,
    inputTokens,
    maxTokens,
    stopSequences,
    eagerTools,
    unansweredCalls: unansweredCalls(answers.flatMap(({ content }) => content)),
  }
  return toMessageScript(reply, facts, createRandom(`${seed}/script`))
}
