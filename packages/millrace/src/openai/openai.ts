import { isMillraceError } from '../errors/index.ts'
import type { Model, ModelEvent, ModelFailure, ModelRequest, Permit } from '../events/index.ts'
import type { JsonObject } from '../json/index.ts'
import { permitRequest, streamMessage, toRequestFailure } from '../model-stream/index.ts'
import { collectKnownSecrets, keepSecrets } from '../outbound/index.ts'
import { type TextRequestOptions, toTextRequest } from '../text-tools/index.ts'
import { toChatBody } from './chat-body.ts'
import { type ChatClient, createChatClient } from './chat-client.ts'
import { createFrameReader } from './chat-frames.ts'
import { toChatMessages, type ThinkingReturn } from './chat-messages.ts'
import { toChatParams } from './chat-params.ts'
import { createChatReader } from './chat-reader.ts'
import { toCheckedOptions } from './permit-attempts.ts'
import { failureRules } from './stream-failure.ts'

/** How a model behind chat completions is reached and read. */
export interface OpenAIOptions {
  /** A client of the official SDK, or of its Azure or Bedrock sisters; else one is made. */
  readonly client?: ChatClient
  /** Default: `OPENAI_API_KEY` of the environment; servers under a `baseURL` may need none. */
  readonly apiKey?: string
  /** Default: `OPENAI_BASE_URL` of the environment, else OpenAI's API. */
  readonly baseURL?: string
  /** What makes the HTTP requests, such as an emulator's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Retries before a response is accepted; the SDK's default is 2. */
  readonly maxRetries?: number
  /** Silence of the body after which the message counts as interrupted. */
  readonly idleTimeoutMs?: number
  /** The longest frame, in UTF-16 units. */
  readonly maxFrameChars?: number
  /** Fields that go with every request, such as `temperature`; null leaves out one that would be sent. */
  readonly request?: JsonObject
  /** False asks for the whole message at once, from servers that lose calls when they stream. */
  readonly isStreamed?: boolean
  /** The name of the limit; default: `max_completion_tokens` for OpenAI and Azure, `max_tokens` for all others. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** Which thoughts go back to the model; default: those of messages with calls, which DeepSeek and others demand. */
  readonly thinking?: ThinkingReturn
  /** For models without calls of their own: tools are described in the prompt, and calls are found in the text. */
  readonly segments?: boolean | TextRequestOptions
  /** Makes an id for a call that came without one. */
  readonly createId?: () => string
}

/** A model behind any endpoint that speaks OpenAI's chat completions. */
export function openai(modelId: string, options: OpenAIOptions = {}): Model {
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

/** What a request is made and answered with. */
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
  // Before the first request: something else may fail and be logged earlier.
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

/** The key of a client, as all versions of the official SDK name it. */
function keyOf(client: object): string | undefined {
  const { apiKey } = client as { readonly apiKey?: unknown }
  return typeof apiKey === 'string' ? apiKey : undefined
}

/** Where models refuse the older name of the limit; elsewhere few know the newer one. */
const newerHosts = /(?:^|\.)(?:openai\.com|openai\.azure\.com|services\.ai\.azure\.com)$/

function maxTokensFieldOf({ baseURL = '' }: ChatClient): string {
  const isNewer = URL.canParse(baseURL) && newerHosts.test(new URL(baseURL).hostname)
  return isNewer ? 'max_completion_tokens' : 'max_tokens'
}

function toFailure(error: unknown): ModelFailure {
  if (!isMillraceError(error)) return toRequestFailure(error, failureRules)
  return { type: error.code, message: error.message, retriable: false }
}

function toOmission(type: string): ModelEvent {
  const message = `Blocks of type ${type} were left out of the request: chat completions have no place for them.`
  return { type: 'notice', message }
}

function usedIdsOf({ messages }: ModelRequest): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : [])),
  )
}

/** Checks the permit before each attempt; a client that was handed in makes only one, since its retries cannot be checked. */
function checkOf({ client }: OpenAIOptions, permit: Permit | undefined, signal: AbortSignal) {
  if (permit === undefined) return {}
  if (client !== undefined) return { maxRetries: 0 }
  return { fetchOptions: toCheckedOptions(() => permitRequest(permit, signal)) }
}

function retriesOf({ maxRetries }: OpenAIOptions) {
  return maxRetries === undefined ? {} : { maxRetries }
}
