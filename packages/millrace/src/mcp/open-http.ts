import { MillraceError } from '../errors/index.ts'
import { type ClientSettings, connectClient } from './connect-client.ts'
import type { LiveClient } from './live-client.ts'
import { httpStatusOf } from './http-status.ts'
import { loadSdk } from './load-sdk.ts'
import type { McpHttpServer } from './mcp-server.ts'

/** How a server that knows only the older transport answers the newer one. */
const olderServer: ReadonlySet<unknown> = new Set([400, 404, 405])

/** Connects to a server by streamable HTTP, or by SSE if it is an older one. */
export async function openHttp(
  server: McpHttpServer,
  settings: ClientSettings,
): Promise<LiveClient> {
  const url = toUrl(server)
  const requestInit = { headers: { ...server.headers } }
  const { StreamableHTTPClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  )
  const transport = new StreamableHTTPClientTransport(url, { requestInit })
  try {
    return await connectClient(transport, settings, () => transport.terminateSession())
  } catch (error) {
    if (!olderServer.has(httpStatusOf(error))) throw error
    return await openSse(url, requestInit, settings).catch(() => {
      throw error
    })
  }
}

async function openSse(
  url: URL,
  requestInit: RequestInit,
  settings: ClientSettings,
): Promise<LiveClient> {
  const { SSEClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/sse.js'),
  )
  return connectClient(new SSEClientTransport(url, { requestInit }), settings)
}

function toUrl({ name, url }: McpHttpServer): URL {
  try {
    return new URL(url)
  } catch (cause) {
    throw new MillraceError('bad_request', `The \`url\` of MCP server "${name}" is none.`, {
      cause,
    })
  }
}
