import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createFixtureServer } from './fixture-server.ts'

/** The fixture over loopback HTTP. */
export interface HttpFixture {
  readonly port: number
  readonly url: string
  /** The authorization of each request. */
  readonly authorizations: ReadonlySet<string | undefined>
  /** The number of open sessions. */
  readonly sessions: () => number
  /** Cuts all connections. */
  stop(): Promise<void>
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Starts the fixture by streamable HTTP. */
export function startHttp(port = 0): Promise<HttpFixture> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createFixtureServer({ onDeath: () => {} }).connect(transport)
    return transport
  }
  return listen(port, sessions, async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (id !== undefined && known === undefined) return void response.writeHead(404).end()
    await (known ?? (await open())).handleRequest(request, response)
  })
}

/** Starts the fixture by the older SSE transport alone. */
export function startSse(): Promise<HttpFixture> {
  const sessions = new Map<string, SSEServerTransport>()
  return listen(0, sessions, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/message') {
      const session = sessions.get(searchParams.get('sessionId') ?? '')
      return await session?.handlePostMessage(request, response)
    }
    if (request.method !== 'GET') return void response.writeHead(405).end()
    const transport = new SSEServerTransport('/message', response)
    sessions.set(transport.sessionId, transport)
    await createFixtureServer({ onDeath: () => {} }).connect(transport)
  })
}

async function listen(
  port: number,
  sessions: ReadonlyMap<string, unknown>,
  answer: Listener,
): Promise<HttpFixture> {
  const authorizations = new Set<string | undefined>()
  const server = createServer((request, response) => {
    authorizations.add(request.headers.authorization)
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}/mcp`,
    authorizations,
    sessions: () => sessions.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
