import { toApiHeaders } from './api-headers.ts'
import { findStatusFault, waitForHeaders } from './early-faults.ts'
import type { EmulatorContext, Exchange } from './emulator-context.ts'
import { decodeFaults } from './faults/decode-faults.ts'
import { dueFaults } from './faults/due-faults.ts'
import type { Fault, FaultKind } from './faults/fault.ts'
import { findReply } from './find-reply.ts'
import { checkChain } from './message-chain.ts'
import { decodeMessagesRequest, type MessagesRequest } from './messages-request.ts'
import { takesPrefill } from './models.ts'
import { waitingCalls } from './own-blocks.ts'
import { createId, createRandom } from './random.ts'
import { readBody, type RequestBody } from './request-body.ts'
import { respondStreaming, respondWhole } from './respond.ts'
import { type MessageScript, toMessageScript } from './script/message-script.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { toTurn } from './turn.ts'

/** Names faults of one request, as text. */
export const FAULT_HEADER = 'x-millrace-fault'

/** Faults after which a client has to ask again. */
const breaking: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'status',
  'error',
  'cut',
  'end',
  'stall',
  'bad_json',
  'spliced_start',
])

/** `POST /v1/messages`: what the script says, as a stream or at once. */
export async function createMessage(
  context: EmulatorContext,
  exchange: Exchange,
): Promise<Response> {
  const { request, requestId, seed, note } = exchange
  const body = await readBody(request, context.maxBodyBytes)
  const decoded = decode(request, body, true)
  const asked = [...context.faults, ...decodeFaults(request.headers.get(FAULT_HEADER) ?? '')]
  const attempt = context.attempts.countOf(body.text)
  const { reply, scenario } = findReply(context.scenarios, toTurn(decoded, attempt))
  const random = createRandom(`${seed}/chance`)
  const faults = dueFaults([...asked, ...(reply.faults ?? [])], { attempt, random })
  context.attempts.settle(body.text, isBroken(reply, faults))
  const { model, notices, stream } = decoded
  note({ model, scenario, notices, faults: faults.map(({ kind }) => kind) })
  await waitForHeaders(faults, request.signal)
  const now = context.now()
  const failure = findStatusFault(faults, { requestId, now })
  if (failure !== undefined) return failure
  const script = toScript(decoded, reply, seed)
  const { speed } = context
  const pace = context.pace === 'instant' ? context.pace : (reply.pace ?? context.pace)
  const headers = toApiHeaders(requestId, now)
  const options = { requestId, seed, headers, faults, pace, speed, signal: request.signal }
  return stream ? respondStreaming(script, options) : respondWhole(script, options)
}

/** `POST /v1/messages/count_tokens`: about how many tokens a request has. */
export async function countMessage(
  { maxBodyBytes, now }: EmulatorContext,
  { request, requestId, note }: Exchange,
): Promise<Response> {
  const body = await readBody(request, maxBodyBytes)
  const { inputTokens, model, notices } = decode(request, body, false)
  note({ model, notices })
  return Response.json({ input_tokens: inputTokens }, { headers: toApiHeaders(requestId, now()) })
}

function decode(request: Request, { json }: RequestBody, needsMaxTokens: boolean): MessagesRequest {
  const version = request.headers.get('anthropic-version')
  const decoded = decodeMessagesRequest(json, { version, needsMaxTokens })
  const { model, tools, messages } = decoded
  checkChain(messages, { takesPrefill: takesPrefill(model) && tools.size === 0 })
  return decoded
}

/** Tells whether a client has to ask again after this reply. */
export function isBroken({ blocks }: ScriptedReply, faults: readonly Fault[]): boolean {
  return (
    blocks.some(({ type }) => type === 'error') || faults.some(({ kind }) => breaking.has(kind))
  )
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
    waitingCalls: waitingCalls(answers.flatMap(({ content }) => content)),
  }
  return toMessageScript(reply, facts, createRandom(`${seed}/script`))
}
