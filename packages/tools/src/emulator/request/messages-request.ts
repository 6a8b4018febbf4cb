import { isJsonObject, type JsonValue } from 'millrace'
import { decodeMessages, type RequestMessage } from './request-content.ts'
import { apiVersions } from './request-headers.ts'
import { invalidRequest } from './invalid-request.ts'
import {
  checkCacheControl,
  checkSampling,
  checkSystem,
  checkThinking,
  checkToolChoice,
  decodeStopSequences,
  noticesOf,
  rejectSampling,
} from './request-rules.ts'
import { decodeTools } from './request-tools.ts'
import { countTokens } from './token-count.ts'

/** The fields of a request that the emulator reads. */
export interface MessagesRequest {
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly RequestMessage[]
  readonly tools: ReadonlySet<string>
  readonly eagerTools: ReadonlySet<string>
  readonly inputTokens: number
  readonly maxTokens: number
  readonly stopSequences: readonly string[]
  /** Peculiarities of the request that had no effect on the answer. */
  readonly notices: readonly string[]
}

/** Options for decoding a request. */
export interface DecodeOptions {
  /** Value of the `anthropic-version` header. */
  readonly version: string | null
  /** A token count request has no `max_tokens`. */
  readonly needsMaxTokens: boolean
}

/** Decodes the body of a request; throws `bad_request` with the problem and its path. */
export function decodeMessagesRequest(
  body: JsonValue,
  { version, needsMaxTokens }: DecodeOptions,
): MessagesRequest {
  if (!isJsonObject(body)) throw invalidRequest('body', 'must be a JSON object')
  const { model, stream = false, system = '', messages, tools: offered = [] } = body
  if (typeof model !== 'string' || model === '') throw invalidRequest('model', 'must name a model')
  if (typeof stream !== 'boolean') throw invalidRequest('stream', 'must be true or false')
  const isLater = version === apiVersions.later
  if (isLater) rejectSampling(body)
  else checkSampling(body)
  const maxTokens = needsMaxTokens ? decodeMaxTokens(body['max_tokens']) : Infinity
  const tools = decodeTools(offered)
  checkThinking(body['thinking'], maxTokens)
  checkCacheControl(body)
  checkToolChoice(body['tool_choice'], tools.names)
  checkSystem(system)
  return {
    model,
    stream,
    messages: decodeMessages(messages, { isLater }),
    tools: tools.names,
    eagerTools: tools.eager,
    inputTokens: countTokens(JSON.stringify([system, offered, messages])),
    maxTokens,
    stopSequences: decodeStopSequences(body['stop_sequences']),
    notices: noticesOf(body),
  }
}

function decodeMaxTokens(value: JsonValue | undefined): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw invalidRequest('max_tokens', 'must be a whole number of at least 1')
}
