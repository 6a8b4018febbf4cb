import { checkOptions, type OptionTypes } from '../../errors/index.ts'
import type { Anthropic, Middleware } from '@anthropic-ai/sdk'
import type { Model, ModelNotice, Permit } from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import { type OpenBody, permitRequest, toCheckedOptions } from '../stream/index.ts'
import { loadOnce } from './load-client.ts'
import { isPermanent } from './reader/failure.ts'
import {
  type ExtraParams,
  takesPrefill,
  toMessageParams,
  toPrefilled,
} from './request/message-params.ts'
import { streamAnthropicMessage } from './reader/message-stream.ts'

/** Older Bedrock clients return the body in Amazon's framing, which only they decode. */
const AMAZON_FRAMING = 'application/vnd.amazon.eventstream'
const encoder = new TextEncoder()

/** Prevents SDK retries after a spend limit, which has status 429 like a rate limit but is permanent. */
const stopAtSpendLimit: Middleware = async (request, next, context) => {
  const response = await next(request)
  if (response.status !== 429 || !isPermanent(await context.parse(response))) return response
  const headers = new Headers(response.headers)
  headers.set('x-should-retry', 'false')
  return new Response(response.body, { status: response.status, headers })
}

/** Options of {@link anthropic}. */
export interface AnthropicOptions {
  /** A client of the official SDK, or of its Bedrock, Vertex or Foundry variants; default: a new one. */
  readonly client?: Pick<Anthropic, 'messages'>
  /** Default: the environment variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string
  /** Default: the environment variable `ANTHROPIC_BASE_URL`, else the public API. */
  readonly baseURL?: string
  /** Custom `fetch`, for example of an emulator. */
  readonly fetch?: typeof globalThis.fetch
  /** Number of retries before a response is accepted; the SDK's default is 2. */
  readonly maxRetries?: number
  /** A body without data for this long ends the message as interrupted. */
  readonly idleTimeoutMs?: number
  /** Maximum length of a frame in UTF-16 units. The result of a server tool is one frame. */
  readonly maxFrameChars?: number
  /** Names of beta features, sent in the header `anthropic-beta`. */
  readonly betas?: readonly string[]
  readonly request?: ExtraParams
  /** Whether the model accepts a prefilled answer. Default: families up to Claude 4.5 without thinking. */
  readonly prefill?: boolean
  /** Receives notices about data after the end of a message, which cannot become events. */
  readonly onLate?: (notice: ModelNotice) => void
}

const types: OptionTypes<AnthropicOptions> = {
  client: 'object',
  apiKey: 'string',
  baseURL: 'string',
  fetch: 'function',
  maxRetries: 'number',
  idleTimeoutMs: 'number',
  maxFrameChars: 'number',
  betas: 'list',
  request: 'object',
  prefill: 'boolean',
  onLate: 'function',
}

/** Names of other libraries for the same options. */
const foreignNames = { baseUrl: 'baseURL', timeout: 'idleTimeoutMs' }

/** Creates a model of the Anthropic Messages API. */
export function anthropic(modelId: string, options: AnthropicOptions = {}): Model {
  checkOptions('anthropic', options, types, foreignNames)
  const {
    apiKey,
    baseURL,
    fetch,
    client: given,
    maxRetries,
    idleTimeoutMs = 120_000,
    maxFrameChars = 16 * 1024 * 1024,
    betas = [],
    request: extra = {},
    prefill = takesPrefill(modelId) && extra.thinking === undefined,
    onLate,
  } = options
  const loadClient = loadOnce(given, { apiKey, baseURL, fetch })
  const fixed = {
    ...(maxRetries !== undefined && { maxRetries }),
    ...(betas.length > 0 && { headers: { 'anthropic-beta': betas.join(',') } }),
  }
  return {
    id: modelId,
    stream(request, { signal, permit } = {}) {
      const params = toMessageParams(modelId, request, extra)
      const open = async (stop: AbortSignal) => {
        await permitRequest(permit, stop)
        const client = await loadClient()
        // A client without middleware cannot check the permit before its own retries.
        const unchecked = callsMiddleware(client) ? {} : { maxRetries: 0 }
        const settings = { ...fixed, ...(permit !== undefined && unchecked), signal: stop }
        const middleware = [stopAtSpendLimit, permitAttempts(permit, stop)]
        return bodyOf(client.messages.create(params, { ...settings, middleware }))
      }
      return streamAnthropicMessage(open, { signal, idleTimeoutMs, maxFrameChars, onLate })
    },
    ...(prefill && { continueFrom: toPrefilled }),
  }
}

/**
 * Checks the permit of a run before each attempt of a request. The SDK calls middleware once an attempt. The `fetch` of a client that
 * Millrace created checks it again, because the SDK waits in between.
 */
function permitAttempts(permit: Permit | undefined, signal: AbortSignal): Middleware {
  return async (request, next) => {
    const check = (): Promise<void> | undefined => permitRequest(permit, signal)
    const asking = check()
    if (asking !== undefined) await asking
    return next({ ...request, ...toCheckedOptions(check) })
  }
}

/** Checks whether a client calls middleware. Older clients and wrappers may not. */
function callsMiddleware(client: object): boolean {
  return 'middleware' in client && Array.isArray(client.middleware)
}

/** Return value of a client's `create`: the promise of the official SDK, or a wrapper. */
type CreatedStream = PromiseLike<AsyncIterable<unknown>> & {
  asResponse?(): Promise<Response>
}

/** Returns the body of a streamed response. Encodes events as SSE frames again if the client provides only events. */
async function bodyOf(created: CreatedStream): ReturnType<OpenBody> {
  const response = await created.asResponse?.()
  const isAmazon = response?.headers.get('content-type')?.startsWith(AMAZON_FRAMING) === true
  return response === undefined || isAmazon ? frameEvents(await created) : response.body
}

async function* frameEvents(events: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  try {
    for await (const event of events) yield toFrame(event)
  } catch (error) {
    const body = error instanceof Error && 'error' in error ? error.error : undefined
    // The SDK throws the content of an `error` event.
    if (!isJsonObject(body) || !isJsonObject(body['error'])) throw error
    yield toFrame({ ...body, type: 'error' })
  }
}

function toFrame(event: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
}
