import type { SSEClientTransportOptions } from '@modelcontextprotocol/sdk/client/sse.js'
import { MillraceError } from '../../errors/index.ts'
import { collectKnownSecrets, keepSecrets } from '../../outbound/index.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { type ClientSettings, connectClient } from './connect-client.ts'
import type { LiveClient } from './live-client.ts'
import { httpStatusOf } from './http-status.ts'
import { loadSdk } from './load-sdk.ts'
import type { McpHttpServer } from '../mcp-server.ts'

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
    throw new MillraceError(
      'bad_request',
      `The \`url\` of MCP server "${name}" is not a valid URL.`,
      {
        cause,
      },
    )
  }
}
