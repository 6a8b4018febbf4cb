import type { Anthropic } from '@anthropic-ai/sdk'
import { loadPeer } from '../../errors/index.ts'
import { keepSecrets } from '../../outbound/index.ts'
import { checkRequests } from '../stream/index.ts'

interface ClientOptions {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly fetch: typeof globalThis.fetch | undefined
}

/** Returns a function that returns the client: the one passed in, or a new one, whose SDK is loaded at the first call. */
export function loadOnce<Client extends object>(
  given: Client | undefined,
  options: ClientOptions,
): () => Promise<Client | Anthropic> {
  keepSecrets(given === undefined ? [options.apiKey] : keysOf(given))
  let created: Promise<Anthropic> | undefined
  return async () => given ?? (await (created ??= createClient(options)))
}

async function createClient(options: ClientOptions): Promise<Anthropic> {
  const { Anthropic: Client } = await loadPeer(
    '@anthropic-ai/sdk',
    'A model without a `client`',
    () => import('@anthropic-ai/sdk'),
  )
  const { fetch = globalThis.fetch } = options
  const client = new Client({ ...options, fetch: checkRequests(fetch) })
  keepSecrets(keysOf(client))
  return client
}

/** Returns the credentials of a client. All versions of the official SDK use these names. */
function keysOf(client: object): (string | undefined)[] {
  const { apiKey, authToken } = client as Readonly<Record<string, unknown>>
  return [apiKey, authToken].map((key) => (typeof key === 'string' ? key : undefined))
}
