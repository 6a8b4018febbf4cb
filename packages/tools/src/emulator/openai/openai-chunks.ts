import { isJsonObject, type JsonObject } from 'millrace'
import type { WireFrame } from '../faults/frame-stream.ts'
import type { BlockPlan } from '../script/block-plan.ts'
import type { MessageScript } from '../script/message-script.ts'
import { type ApiError, type ApiErrorType, errorTypeOf } from '../routes/api-error.ts'

/** Fields of a completion besides its script. */
interface CompletionFacts {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly includesUsage: boolean
}

/** Finish reasons of chat completions, by stop reason of the Messages API. */
const finishReasons: ReadonlyMap<unknown, string> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['pause_turn', 'stop'],
  ['refusal', 'content_filter'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
])

/**
 * Converts a message to the frames of a streamed completion. Each frame has the name of the corresponding event of
 * the Messages API, which faults use as their place; the name is not sent.
 */
export function* toChunkFrames(
  script: MessageScript,
  facts: CompletionFacts,
): Generator<WireFrame, void, undefined> {
  const chunk = (choice: JsonObject | undefined, fields: JsonObject = {}): JsonObject => ({
    ...toShell(script, facts, 'chat.completion.chunk'),
    choices: choice === undefined ? [] : [{ index: 0, delta: {}, finish_reason: null, ...choice }],
    ...(facts.includesUsage && { usage: null }),
    ...fields,
  })
  yield toFrame('message_start', chunk({ delta: { role: 'assistant', content: '' } }))
  let calls = 0
  for (const plan of script.plans) {
    const write = writers[String(plan.start['type'])]
    if (write === undefined) continue
    for (const delta of write(plan, calls)) {
      yield { ...toFrame('content_block_delta', chunk({ delta })), tokens: 1 }
    }
    if (plan.start['type'] === 'tool_use') calls++
  }
  if (script.error !== undefined) return yield toErrorFrame(script.error)
  yield toFrame('message_delta', chunk({ finish_reason: finishReasonOf(script) }))
  if (facts.includesUsage) yield toFrame('usage', chunk(undefined, { usage: toUsage(script) }))
  yield { event: 'message_stop', data: '[DONE]', tokens: 0 }
}

/** Converts a message to a completion that is not streamed. */
export function toCompletion(script: MessageScript, facts: CompletionFacts): JsonObject {
  const { plans } = script
  const textOf = (type: string): string =>
    plans
      .filter(({ start }) => start['type'] === type)
      .map(({ pieces }) => pieces.join(''))
      .join('')
  const calls = plans.filter(({ start }) => start['type'] === 'tool_use').map(toCall)
  const [text, reasoning] = [textOf('text'), textOf('thinking')]
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...toShell(script, facts, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(script) }],
    usage: toUsage(script),
  }
}

/** Creates the frame of an error. */
export function toErrorFrame(error: Parameters<typeof toChatError>[0]): WireFrame {
  return toFrame('error', toChatErrorBody(toChatError(error)))
}

/** A frame without content, as Azure sends it. */
export const emptyFrame: WireFrame = toFrame('ping', {
  object: 'chat.completion.chunk',
  choices: [],
})

/** Delta encoders by block type; types without an encoder have no counterpart in this API. */
const writers: Readonly<
  Record<string, ((plan: BlockPlan, call: number) => Iterable<JsonObject>) | undefined>
> = {
  text: ({ pieces }) => pieces.map((content) => ({ content })),
  thinking: ({ pieces }) => pieces.map((piece) => ({ reasoning_content: piece })),
  tool_use: (plan, index) => {
    const { id, type, function: given } = toCall({ ...plan, pieces: [] })
    const first = { index, id, type, function: given }
    const more = piecesOf(plan).map((piece) => ({ index, function: { arguments: piece } }))
    return [first, ...more].map((entry) => ({ tool_calls: [entry] }))
  },
}

function toCall(plan: BlockPlan): { id: string; type: string; function: JsonObject } {
  const { id, name } = plan.start
  // Generated ids get the prefix of this API.
  const callId = String(id).replace(/^toolu_/, 'call_')
  const call = { name: String(name), arguments: piecesOf(plan).join('') }
  return { id: callId, type: 'function', function: call }
}

/** A block whose start holds the whole input has no chunks. */
function piecesOf({ start, pieces }: BlockPlan): readonly string[] {
  const { input } = start
  const isWhole = isJsonObject(input) && Object.keys(input).length > 0
  return isWhole ? [JSON.stringify(input)] : pieces.filter((piece) => piece !== '')
}

function toShell(
  { model }: MessageScript,
  { id, created }: CompletionFacts,
  object: string,
): JsonObject {
  return { id, object, created, model, system_fingerprint: 'fp_emulator' }
}

function finishReasonOf({ stop: { stop_reason: reason } }: MessageScript): string {
  return finishReasons.get(reason) ?? String(reason)
}

function toUsage({ usage: { end } }: MessageScript): JsonObject {
  const count = (field: string): number => Number(end[field] ?? 0)
  const cached = count('cache_read_input_tokens')
  const prompt = count('input_tokens') + cached + count('cache_creation_input_tokens')
  const output = count('output_tokens')
  const details = end['output_tokens_details']
  const reasoning = isJsonObject(details) ? Number(details['thinking_tokens'] ?? 0) : 0
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

function toFrame(event: string, value: JsonObject): WireFrame {
  return { event, data: JSON.stringify(value), tokens: 0 }
}

/** An error of the chat completions API. */
export interface ChatError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
}

/** Errors of chat completions, by error type of the Messages API. */
const chatErrors: Readonly<Record<ApiErrorType, Omit<ChatError, 'message' | 'param'>>> = {
  invalid_request_error: { status: 400, type: 'invalid_request_error', code: null },
  authentication_error: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  billing_error: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  permission_error: { status: 403, type: 'invalid_request_error', code: null },
  not_found_error: { status: 404, type: 'invalid_request_error', code: 'not_found' },
  conflict_error: { status: 409, type: 'invalid_request_error', code: null },
  request_too_large: { status: 413, type: 'invalid_request_error', code: null },
  rate_limit_error: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  api_error: { status: 500, type: 'server_error', code: null },
  timeout_error: { status: 504, type: 'server_error', code: 'timeout' },
  overloaded_error: { status: 503, type: 'server_error', code: 'overloaded' },
}

/** Converts an error of a script to an error of chat completions. */
export function toChatError({ type, message }: Pick<ApiError, 'type' | 'message'>): ChatError {
  return { ...chatErrors[type], message, param: null }
}

/** Creates the error for a status. */
export function chatErrorOf(status: number, message: string): ChatError {
  return { ...toChatError({ type: errorTypeOf(status), message }), status }
}

/** Creates the body that reports an error, or the frame that reports it in a stream. */
function toChatErrorBody({ message, type, param, code }: ChatError): JsonObject {
  return { error: { message, type, param, code } }
}

/** Creates the response for an error that occurs before any stream. */
export function toChatErrorResponse(
  error: ChatError,
  headers: Readonly<Record<string, string>>,
): Response {
  return Response.json(toChatErrorBody(error), { status: error.status, headers })
}
