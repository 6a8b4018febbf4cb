import type { SSEClientTransportOptions } from '@modelcontextprotocol/sdk/client/sse.js'
import { badRequest } from '../../errors/index.ts'
import { collectKnownSecrets, keepSecrets } from '../../outbound/index.ts'
import { type ClientSettings, connectClient } from './connect-client.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import type { LiveClient } from './live-client.ts'
import { httpStatusOf } from './http-status.ts'
import { loadSdk } from './load-sdk.ts'
import type { McpHttpServer } from '../mcp-server.ts'

const LINE_FEED = 10

const CARRIAGE_RETURN = 13

/** Statuses with which servers of the older transport reject streamable HTTP. */
const olderServerStatuses: ReadonlySet<unknown> = new Set([400, 404, 405])

/** Connects over streamable HTTP, or over SSE to an older server. */
export async function openHttp(
  server: McpHttpServer,
  settings: ClientSettings,
): Promise<LiveClient> {
  const url = toUrl(server)
  keepSecrets(collectKnownSecrets(server.headers ?? {}, `${url.pathname}${url.search}`))
  const requestInit = { headers: { ...server.headers } }
  const fetch = createBoundedFetch(settings.guard)
  const { StreamableHTTPClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  )
  const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch })
  try {
    return await connectClient(transport, settings, () => transport.terminateSession())
  } catch (error) {
    if (!olderServerStatuses.has(httpStatusOf(error))) throw error
    return await openSse(url, { requestInit, fetch }, settings).catch(() => {
      throw error
    })
  }
}

async function openSse(
  url: URL,
  options: SSEClientTransportOptions,
  settings: ClientSettings,
): Promise<LiveClient> {
  const { SSEClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/sse.js'),
  )
  return connectClient(new SSEClientTransport(url, options), settings)
}

function toUrl({ name, url }: McpHttpServer): URL {
  try {
    return new URL(url)
  } catch (cause) {
    throw badRequest(`The \`url\` of MCP server "${name}" is not a valid URL.`, { cause })
  }
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Creates a `fetch` that closes the connection when a response, or one event of a stream, exceeds the limit. It does
 * not follow redirects: a server could redirect requests and their headers to a private network.
 */
function createBoundedFetch(guard: ConnectionGuard, fetch: Fetch = globalThis.fetch): Fetch {
  const { maxMessageBytes } = guard.limits
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' })
    const { body, status, statusText, headers } = response
    const isRedirect = status >= 300 && status < 400
    if (body === null || isRedirect) return response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const count = isStream ? createEventCounter() : createByteCounter()
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) > maxMessageBytes) {
          guard.fail(`sent a message of more than ${maxMessageBytes} bytes`)
          controller.error(guard.failure)
        } else controller.enqueue(chunk)
      },
    })
    return new Response(body.pipeThrough(bounded), { status, statusText, headers })
  }
}

function createByteCounter(): (chunk: Uint8Array) => number {
  let total = 0
  return (chunk) => (total += chunk.length)
}

/** Counts the bytes of the longest event in or across a chunk. */
function createEventCounter(): (chunk: Uint8Array) => number {
  let inEvent = 0
  let isLineEmpty = true
  return (chunk) => {
    let longest = inEvent
    for (const byte of chunk) {
      inEvent++
      if (byte === LINE_FEED && isLineEmpty) inEvent = 0
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED
      if (inEvent > longest) longest = inEvent
    }
    return longest
  }
}
