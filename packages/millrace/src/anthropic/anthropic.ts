import { Anthropic } from '@anthropic-ai/sdk'

import type { Model, ModelNotice } from '../events/index.ts'
import { permitRequest } from '../model-stream/index.ts'
import { keepSecrets } from '../outbound/index.ts'
import { bodyOf } from './body-of.ts'
import { type ExtraParams, toMessageParams } from './message-params.ts'
import { streamMessage } from './message-stream.ts'
import { callsMiddleware, permitAttempts } from './permit-attempts.ts'
import { takesPrefill, toPrefilled } from './prefill.ts'
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
  /** Whether the model takes the beginning of its answer; by default only families up to Claude 4.5 without thinking. */
  readonly prefill?: boolean
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
    prefill = takesPrefill(modelId) && extra.thinking === undefined,
    onLate,
  }: AnthropicOptions = {},
): Model {
  keepSecrets(keysOf(client))
  const fixed = {
    ...(maxRetries !== undefined && { maxRetries }),
    ...(betas.length > 0 && { headers: { 'anthropic-beta': betas.join(',') } }),
  }
  // The retries of a client without middleware cannot be checked.
  const unchecked = callsMiddleware(client) ? {} : { maxRetries: 0 }
  return {
    id: modelId,
    stream(request, { signal, permit } = {}) {
      const params = toMessageParams(modelId, request, extra)
      const open = async (stop: AbortSignal) => {
        await permitRequest(permit, stop)
        const options = { ...fixed, ...(permit !== undefined && unchecked), signal: stop }
        const middleware = [stopAtSpendLimit, permitAttempts(permit, stop)]
        return bodyOf(client.messages.create(params, { ...options, middleware }))
      }
      return streamMessage(open, { signal, idleTimeoutMs, maxFrameChars, onLate })
    },
    ...(prefill && { continueFrom: toPrefilled }),
  }
}

/** The credentials of a client, as all versions of the official SDK name them. */
function keysOf(client: object): (string | undefined)[] {
  const { apiKey, authToken } = client as Readonly<Record<string, unknown>>
  return [apiKey, authToken].map((key) => (typeof key === 'string' ? key : undefined))
}

function createClient(options: {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly fetch: typeof globalThis.fetch | undefined
}): Anthropic {
  return new Anthropic(options)
}
