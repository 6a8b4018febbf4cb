import { type JsonObject, parseJsonObject } from 'millrace'
import { type ExchangeOptions, openExchange } from './exchange.ts'

/** Maximum bytes that are read of a response. No expected one is larger. */
const maxBytes = 1_048_576

/** The reply to a request. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly httpVersion: string
  readonly text: string
  /** The body, if it is a JSON object. */
  readonly json: JsonObject | undefined
  readonly tookMs: number
}

/** Sends a request and reads the complete response. */
export async function fetchReply(
  url: URL,
  { timeoutMs, signal, ...options }: ExchangeOptions & { readonly timeoutMs: number },
): Promise<Reply> {
  const startedAt = performance.now()
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const exchange = await openExchange(url, { ...options, signal: bounded })
  const { status, headers, httpVersion } = exchange
  const text = await readText(exchange.body)
  exchange.close()
  const tookMs = performance.now() - startedAt
  return { status, headers, httpVersion, text, json: parseJsonObject(text), tookMs }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= maxBytes) break
  }
  return text
}

/** Describes a response in a few words. */
export function describeReply({
  status,
  headers,
  text,
}: Pick<Reply, 'status' | 'headers' | 'text'>): string {
  const type = headers['content-type']?.split(';')[0] ?? 'no content type'
  const title = /<title[^>]*>([^<]{1,120})/i.exec(text.slice(0, 10_000))?.[1]?.trim()
  const server = headers['server']
  return [
    `${status}, ${type}`,
    ...(title === undefined ? [] : [`titled “${title}”`]),
    ...(server === undefined ? [] : [`from ${server}`]),
  ].join(', ')
}
