import { type JsonObject, parseJsonObject } from '../../json/index.ts'
import { misuse } from '../misuse.ts'

const apiEvents: ReadonlySet<unknown> = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'ping',
])

/** What the data of a stream's messages looks like, by format. */
const looks: Readonly<Record<string, (data: string, value: JsonObject) => boolean>> = {
  anthropic: (_, { type }) => apiEvents.has(type),
  json: (_, { agent, delta }) => typeof agent === 'string' && typeof delta === 'string',
  openai: (_, { choices }) => Array.isArray(choices),
  xml: (data) => /^<[\w-]+[\s>]/.test(data),
}

/** Fails if the data of a stream's first message is of another format than the one that was named. */
export function checkFormat(named: string, data: string): void {
  const value = parseJsonObject(data) ?? {}
  const found = Object.keys(looks).filter((format) => looks[format]?.(data, value) === true)
  if (found.length === 0 || found.includes(named)) return
  throw misuse(`The input looks like ${found.join(' or ')}; use --from ${found[0]}.`)
}
