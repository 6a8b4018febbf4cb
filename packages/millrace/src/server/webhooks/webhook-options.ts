import { badRequest, type MillraceError } from '../../errors/index.ts'
import { keepSecrets, parseUrl } from '../../outbound/index.ts'
import { decodeWebhookSecret, type RunEventType, runEventTypes } from '../../webhooks/index.ts'

/** A receiver of events about runs. */
export interface WebhookOptions {
  readonly url: string
  /** `whsec_` and 24 to 64 random bytes in base64; signs every delivery. */
  readonly secret: string
  /** The event types to send; all by default. */
  readonly events?: readonly RunEventType[]
}

/** A checked receiver. */
export interface Endpoint {
  /** Identifies the endpoint in the store, where a URL would appear in exports. */
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly events: ReadonlySet<RunEventType>
}

const MAX_ENDPOINTS = 16
const fields: ReadonlySet<string> = new Set(['url', 'secret', 'events'])

/** Checks the option `webhooks`; throws `bad_request` for endpoints that could never receive events. */
export function toEndpoints(webhooks: readonly WebhookOptions[] = []): readonly Endpoint[] {
  if (!Array.isArray(webhooks)) throw refusal('webhooks', 'must be a list of { url, secret }.')
  if (webhooks.length > MAX_ENDPOINTS) {
    throw refusal(
      'webhooks',
      `has ${webhooks.length} entries; at most ${MAX_ENDPOINTS} are allowed.`,
    )
  }
  const endpoints = (webhooks as readonly WebhookOptions[]).map((one, index) =>
    toEndpoint(one, `webhooks[${index}]`),
  )
  const ids = new Set(endpoints.map(({ id }) => id))
  if (ids.size < endpoints.length) throw refusal('webhooks', 'has one URL twice; list it once.')
  return endpoints
}

function toEndpoint(options: WebhookOptions, name: string): Endpoint {
  const stray = Object.keys(options).find((field) => !fields.has(field))
  if (stray !== undefined) {
    throw refusal(`${name}.${stray}`, `is unknown; the fields are ${[...fields].join(', ')}.`)
  }
  const { secret, events = runEventTypes } = options
  const url = checkUrl(options.url, `${name}.url`)
  if (typeof secret !== 'string') throw refusal(`${name}.secret`, 'is missing.')
  decodeWebhookSecret(secret)
  keepSecrets([secret])
  const unknown = events.find((type) => !runEventTypes.includes(type))
  if (unknown !== undefined || events.length === 0) {
    throw refusal(`${name}.events`, `must be some of ${runEventTypes.join(', ')}.`)
  }
  return { id: toId(url), url, secret, events: new Set(events) }
}

/** Checks the URL. The operator chooses it, so private addresses are allowed. */
function checkUrl(url: unknown, name: string): string {
  const parsed = typeof url === 'string' ? parseUrl(url) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    throw refusal(name, 'must be an http or https URL.')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw refusal(name, 'must not contain a user or password; deliveries are signed instead.')
  }
  return parsed.href
}

/** Hashes a URL: two 32-bit FNV-1a hashes with different seeds. */
function toId(url: string): string {
  const hashes = [0x811c9dc5, 0x01234567].map((start) => {
    let hash = start
    for (let at = 0; at < url.length; at++)
      hash = Math.imul(hash ^ url.charCodeAt(at), 0x01000193) >>> 0
    return hash.toString(36)
  })
  return hashes.join('-')
}

function refusal(name: string, problem: string): MillraceError {
  return badRequest(`${name} ${problem}`)
}
