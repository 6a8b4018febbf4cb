import { Anthropic } from '@anthropic-ai/sdk'

import type { Model, ModelNotice } from '../events/index.ts'
import { bodyOf } from './body-of.ts'
import { type ExtraParams, toMessageParams } from './message-params.ts'
import { streamMessage } from './message-stream.ts'
import { stopAtSpendLimit } from './spend-limit.ts'

/** How a model of the Messages API is reached and read. */
export interface AnthropicOptions {
  /** A client of the official SDK, or of its Bedrock, Vertex or Foundry sisters; else one is made. */
  readonly client?: Pick<Anthropic, 'messages'>
  /** Default: `ANTHROPIC_API_KEY` of the environment. */
  readonly apiKey?: string
  /** Default: `ANTHROPIC_BASE_URL` of the environment, else the public API. */
  readonly baseURL?: string
  /** What makes the HTTP requests, such as an emulator's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Retries before a response is accepted; the SDK's default is 2. */
  readonly maxRetries?: number
  /** Silence of the body after which the message counts as interrupted. */
  readonly idleTimeoutMs?: number
  /** The longest frame, in UTF-16 units; a server tool's result is one frame. */
  readonly maxFrameChars?: number
  /** Names of beta features, sent in the header `anthropic-beta`. */
  readonly betas?: readonly string[]
  readonly request?: ExtraParams
  /** Told of what the API sends after the end of a message, when no event can say it any more. */
  readonly onLate?: (notice: ModelNotice) => void
}

/** A model of the Anthropic Messages API. */
export function anthropic(
  modelId: string,
  {
    apiKey,
    baseURL,
    fetch,
    client = createClient({ apiKey, baseURL, fetch }),
    maxRetries,
    idleTimeoutMs = 120_000,
    maxFrameChars = 16 * 1024 * 1024,
    betas = [],
    request: extra = {},
    onLate,
  }: AnthropicOptions = {},
): Model {
  const fixed = {
    ...(maxRetries !== undefined && { maxRetries }),
    ...(betas.length > 0 && { headers: { 'anthropic-beta': betas.join(',') } }),
    middleware: [stopAtSpendLimit],
  }
  return {
    id: modelId,
    stream(request, { signal } = {}) {
      const params = toMessageParams(modelId, request, extra)
      const open = async (stop: AbortSignal) =>
        bodyOf(client.messages.create(params, { ...fixed, signal: stop }))
      return streamMessage(open, { signal, idleTimeoutMs, maxFrameChars, onLate })
    },
  }
}

function createClient(options: {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly fetch: typeof globalThis.fetch | undefined
}): Anthropic {
  return new Anthropic(options)
}
