import { loadPeer } from '../../errors/index.ts'
import { explainErrors } from './explain-errors.ts'
import { checkRequests } from '../stream/index.ts'

/** The required members of a client of the official SDK, or of its Azure or Bedrock variants. */
export interface ChatClient {
  readonly baseURL?: string
  readonly chat: {
    readonly completions: {
      create(body: object, options?: object): { asResponse(): Promise<Response> }
    }
  }
}

/** Options of {@link createChatClient}. */
export interface ChatClientOptions {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly fetch: typeof globalThis.fetch | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Placeholder key. Local servers need none, but the SDK requires one. */
const NO_KEY = 'none'

/** Creates a client of the official SDK. The SDK is loaded on demand, as an optional dependency. */
export async function createChatClient(options: ChatClientOptions): Promise<ChatClient> {
  const { OpenAI: Client } = await loadPeer(
    'openai',
    'A model without a `client`',
    () => import('openai'),
  )
  const { apiKey, baseURL, headers, fetch = globalThis.fetch } = options
  const settings = { baseURL, defaultHeaders: headers, fetch: explainErrors(checkRequests(fetch)) }
  try {
    return new Client({ ...settings, apiKey })
  } catch (error) {
    if (apiKey !== undefined || baseURL === undefined) throw error
    return new Client({ ...settings, apiKey: NO_KEY })
  }
}
