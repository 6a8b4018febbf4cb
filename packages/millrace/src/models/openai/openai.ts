import { checkOptions, MillraceError, type OptionTypes } from '../../errors/index.ts'
import type {
  Model,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Permit,
  ToolChoice,
  ToolSchema,
} from '../../events/index.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../json/index.ts'
import { DONE_FRAME, encodeSse } from '../../sse/index.ts'
import {
  type OpenBody,
  permitRequest,
  streamMessage,
  toCheckedOptions,
  toRequestFailure,
} from '../stream/index.ts'
import { collectKnownSecrets, keepSecrets } from '../../outbound/index.ts'
import { type TextRequestOptions, toTextRequest } from '../text-tools/index.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'
import { createChatReader, createFrameReader } from './reader/chat-reader.ts'
import { type ThinkingReturn, toChatMessages } from './request/chat-messages.ts'
import { failureRules } from './reader/stream-failure.ts'

/** Options of {@link openai}. */
export interface OpenAIOptions {
  /** A client of the official SDK, or of its Azure or Bedrock variants; default: a new one. */
  readonly client?: ChatClient
  /** Default: the environment variable `OPENAI_API_KEY`. Servers under a `baseURL` may need none. */
  readonly apiKey?: string
  /** Default: the environment variable `OPENAI_BASE_URL`, else OpenAI's API. */
  readonly baseURL?: string
  /** Custom `fetch`, for example of an emulator. */
  readonly fetch?: typeof globalThis.fetch
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Number of retries before a response is accepted; the SDK's default is 2. */
  readonly maxRetries?: number
  /** A body without data for this long ends the message as interrupted. */
  readonly idleTimeoutMs?: number
  /** Maximum length of a frame in UTF-16 units. */
  readonly maxFrameChars?: number
  /** Fields of every request, such as `temperature`; null omits one. */
  readonly request?: JsonObject
  /** False requests the whole message at once, for servers that lose calls while streaming. */
  readonly isStreamed?: boolean
  /** The name of the token limit. Default: `max_completion_tokens` for OpenAI and Azure, else `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** Thinking that is sent back to the model. Default: thinking of messages with calls, which DeepSeek and others require. */
  readonly thinking?: ThinkingReturn
  /** For models without native calls: describes tools in the prompt and finds calls in the text. */
  readonly segments?: boolean | TextRequestOptions
  /** Creates an id for a call without one. */
  readonly createId?: () => string
}

const types: OptionTypes<OpenAIOptions> = {
  client: 'object',
  apiKey: 'string',
  baseURL: 'string',
  fetch: 'function',
  headers: 'object',
  maxRetries: 'number',
  idleTimeoutMs: 'number',
  maxFrameChars: 'number',
  request: 'object',
  isStreamed: 'boolean',
  maxTokensField: 'string',
  thinking: 'any',
  segments: 'any',
  createId: 'function',
}

/** Names of other libraries for the same options. */
const foreignNames = { baseUrl: 'baseURL', timeout: 'idleTimeoutMs' }

/** Creates a model of any endpoint that implements OpenAI's chat completions. */
export function openai(modelId: string, options: OpenAIOptions = {}): Model {
  checkOptions('openai', options, types, foreignNames)
  const { idleTimeoutMs = 120_000, maxFrameChars = 16 * 1024 * 1024 } = options
  const connect = createConnector(options)
  return {
    id: modelId,
    async *stream(request, { signal, permit } = {}) {
      const { body, notices, reader } = prepare(modelId, request, options)
      yield* notices
      const open = async (stop: AbortSignal) => {
        const client = await connect()
        await permitRequest(permit, stop)
        const settings = { ...retriesOf(options), ...checkOf(options, permit, stop), signal: stop }
        const created = client.chat.completions.create(body(client), settings)
        return toChatBody(await created.asResponse(), maxFrameChars)
      }
      const stream = { signal, idleTimeoutMs, maxFrameChars, toFailure }
      yield* streamMessage(open, createFrameReader(reader), stream)
    },
  }
}

/** Prepares the body, the notices and the reader of a request. */
function prepare(modelId: string, asked: ModelRequest, options: OpenAIOptions) {
  const { segments = false, thinking = 'with-calls', isStreamed = true, createId } = options
  const text =
    segments === false
      ? undefined
      : toTextRequest(asked, { modelId, options: segments === true ? {} : segments })
  const request = text?.request ?? asked
  const { messages, omitted } = toChatMessages(request, { thinking })
  const reader = createChatReader({
    usedIds: usedIdsOf(asked),
    ...(createId !== undefined && { createId }),
    ...(text !== undefined && { segments: text.segments, mayCall: text.mayCall }),
  })
  const body = (client: ChatClient): JsonObject => {
    const maxTokensField = options.maxTokensField ?? maxTokensFieldOf(client)
    const settings = { maxTokensField, isStreamed, extra: options.request ?? {} }
    return toChatParams(modelId, { ...request, messages }, settings)
  }
  return { body, notices: [...omitted].map(toOmission), reader }
}

function createConnector({ client, apiKey, baseURL, fetch, headers = {} }: OpenAIOptions) {
  // Registered before the first request, because an earlier failure may be logged.
  keepSecrets([apiKey, ...collectKnownSecrets(headers)])
  const settings = { apiKey, baseURL, fetch, headers }
  let made: Promise<ChatClient> | undefined
  return async (): Promise<ChatClient> => {
    made ??= client === undefined ? createChatClient(settings) : Promise.resolve(client)
    try {
      const connected = await made
      keepSecrets([keyOf(connected)])
      return connected
    } catch (error) {
      made = undefined // a package may be installed, a key set
      throw error
    }
  }
}

/** Returns the key of a client. All versions of the official SDK use this name. */
function keyOf(client: object): string | undefined {
  const { apiKey } = client as { readonly apiKey?: unknown }
  return typeof apiKey === 'string' ? apiKey : undefined
}

/** Hosts whose models reject `max_tokens`. Few other servers accept the newer name. */
const newerHosts = /(?:^|\.)(?:openai\.com|openai\.azure\.com|services\.ai\.azure\.com)$/

function maxTokensFieldOf({ baseURL = '' }: ChatClient): string {
  const isNewer = URL.canParse(baseURL) && newerHosts.test(new URL(baseURL).hostname)
  return isNewer ? 'max_completion_tokens' : 'max_tokens'
}

function toFailure(error: unknown): ModelFailure {
  return toRequestFailure(error, failureRules)
}

function toOmission(type: string): ModelEvent {
  const message = `Blocks of type ${type} were omitted from the request: chat completions do not support them.`
  return { type: 'notice', message }
}

function usedIdsOf({ messages }: ModelRequest): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : [])),
  )
}

/** Returns options that check the permit before each attempt. A custom client makes one attempt, because its retries cannot be checked. */
function checkOf({ client }: OpenAIOptions, permit: Permit | undefined, signal: AbortSignal) {
  if (permit === undefined) return {}
  if (client !== undefined) return { maxRetries: 0 }
  return { fetchOptions: toCheckedOptions(() => permitRequest(permit, signal)) }
}

function retriesOf({ maxRetries }: OpenAIOptions) {
  return maxRetries === undefined ? {} : { maxRetries }
}

/** Returns the body of a response as an event stream. A completion that was not streamed becomes one event. */
async function toChatBody(response: Response, maxFrameChars: number): ReturnType<OpenBody> {
  const type = response.headers.get('content-type') ?? ''
  if (/^text\/html\b/i.test(type)) {
    await response.body?.cancel()
    throw new MillraceError(
      'model_failed',
      'The server answered with a page of HTML; check that `baseURL` is the address of the API, which usually ends in /v1.',
    )
  }
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
    ? frameBody(response, maxFrameChars)
    : response.body
}

async function* frameBody({ body }: Response, maxChars: number): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += decoder.decode(next.value, { stream: true })
      if (text.length > maxChars) throw tooLarge(maxChars)
    }
  } finally {
    reader?.cancel().catch(() => {})
  }
  const frame = encodeSse({ data: text + decoder.decode() })
  yield new TextEncoder().encode(frame + DONE_FRAME)
}

function tooLarge(limit: number): MillraceError {
  const message = `The response is longer than maxFrameChars, ${limit}.`
  return new MillraceError('frame_too_large', message)
}

interface ChatParamsOptions {
  readonly maxTokensField: string
  readonly isStreamed: boolean
  /** Fields of every request; null omits one. */
  readonly extra: JsonObject
}

/** Creates the body of a request. Tools of `extra` follow those of the request. */
function toChatParams(
  model: string,
  request: Pick<ModelRequest, 'tools' | 'maxTokens' | 'toolChoice'> & {
    readonly messages: readonly JsonObject[]
  },
  { maxTokensField, isStreamed, extra }: ChatParamsOptions,
): JsonObject {
  const { tools: more, ...others } = extra
  const tools = [...(request.tools ?? []).map(toTool), ...(isJsonArray(more) ? more : [])]
  const fields = {
    [maxTokensField]: request.maxTokens,
    ...(isStreamed && { stream_options: { include_usage: true } }),
    ...others,
  }
  return {
    model,
    messages: request.messages,
    ...(tools.length > 0 && { tools }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
    ...(tools.length > 0 &&
      request.toolChoice !== undefined && { tool_choice: toToolChoice(request.toolChoice) }),
    stream: isStreamed,
  }
}

/** Converts a tool choice to the names of the API. */
function toToolChoice(choice: ToolChoice): JsonValue {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } }
}

function toTool({ name, description, inputSchema }: ToolSchema): JsonObject {
  // Several servers reject `$schema`.
  const { $schema: _, ...parameters } = inputSchema
  return { type: 'function', function: { name, description, parameters } }
}
