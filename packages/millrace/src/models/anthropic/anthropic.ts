import type { Anthropic } from '@anthropic-ai/sdk'

import type { Model, ModelNotice } from '../../events/index.ts'
import { permitRequest } from '../stream/index.ts'
import { bodyOf } from './body-of.ts'
import { loadOnce } from './load-client.ts'
import { type ExtraParams, toMessageParams } from './request/message-params.ts'
import { streamMessage } from './reader/message-stream.ts'
import { takesPrefill, toPrefilled } from './request/prefill.ts'
import { callsMiddleware, permitAttempts, stopAtSpendLimit } from './request-middleware.ts'

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

/** Creates a model of the Anthropic Messages API. */
export function anthropic(
  modelId: string,
  {
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
  }: AnthropicOptions = {},
): Model {
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
        const options = { ...fixed, ...(permit !== undefined && unchecked), signal: stop }
        const middleware = [stopAtSpendLimit, permitAttempts(permit, stop)]
        return bodyOf(client.messages.create(params, { ...options, middleware }))
      }
      return streamMessage(open, { signal, idleTimeoutMs, maxFrameChars, onLate })
    },
    ...(prefill && { continueFrom: toPrefilled }),
  }
}
