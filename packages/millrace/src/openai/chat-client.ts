import type { OpenAI } from 'openai'

import { MillraceError } from '../errors/index.ts'
import { explainErrors } from './explain-errors.ts'
import { checkRequests } from './permit-attempts.ts'

/** What is asked of a client of the official SDK, or of its Azure or Bedrock sisters. */
export interface ChatClient {
  readonly baseURL?: string
  readonly chat: {
    readonly completions: {
      create(body: object, options?: object): { asResponse(): Promise<Response> }
    }
  }
}

/** How a client is made where none is handed in. */
export interface ChatClientOptions {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly fetch: typeof globalThis.fetch | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Servers on one's own machine need no key, but the SDK insists on one. */
const NO_KEY = 'none'

/** Makes a client of the official SDK, which is loaded only now: not everyone has installed it. */
export async function createChatClient(options: ChatClientOptions): Promise<ChatClient> {
  const { OpenAI: Client } = await loadSdk()
  const { apiKey, baseURL, headers, fetch = globalThis.fetch } = options
  const settings = { baseURL, defaultHeaders: headers, fetch: explainErrors(checkRequests(fetch)) }
  try {
    return new Client({ ...settings, apiKey })
  } catch (error) {
    if (apiKey !== undefined || baseURL === undefined) throw error
    return new Client({ ...settings, apiKey: NO_KEY })
  }
}

/** The official SDK's module, as far as it is used. */
interface Sdk {
  readonly OpenAI: typeof OpenAI
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('openai')
  } catch (cause) {
    const message =
      'The package `openai` could not be loaded; run `npm install openai`, or pass a `client`.'
    throw new MillraceError('unsupported', message, { cause })
  }
}
