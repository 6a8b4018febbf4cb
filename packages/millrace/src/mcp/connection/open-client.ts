import { badRequest, loadPeer, MillraceError } from '../../errors/index.ts'
import { LiveClient } from './live-client.ts'
import type { McpHttpServer, McpProcess, McpServer } from '../mcp-server.ts'
import { reasonOf } from './reason-of.ts'
import { collectKnownSecrets, keepEnvironmentSecrets, keepSecrets } from '../../outbound/index.ts'
import type { SSEClientTransportOptions } from '@modelcontextprotocol/sdk/client/sse.js'
import type { ConnectionGuard } from './connection-guard.ts'
import { httpStatusOf } from './http-status.ts'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { toTimer } from './timers.ts'

/** Connects to a server of any kind. */
export async function openClient(server: McpServer, settings: ClientSettings): Promise<LiveClient> {
  try {
    if ('command' in server) return await openProcess(server, settings)
    if ('url' in server) return await openHttp(server, settings)
    const { transport } = server
    const made = typeof transport === 'function' ? await transport() : transport
    return await connectClient(made, settings)
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause
    throw new MillraceError(
      'connection_lost',
      `The MCP server "${server.name}" could not be reached: ${reasonOf(cause)}.`,
      { cause },
    )
  }
}

/** Number of stderr characters that an error quotes. */
const MAX_STDERR_CHARS = 2000

/** Starts a server process and connects to it. The process ends with its client. */
async function openProcess(server: McpProcess, settings: ClientSettings): Promise<LiveClient> {
  const [{ getDefaultEnvironment }, { ProcessTransport }] = await loadSdk(() =>
    Promise.all([
      import('@modelcontextprotocol/sdk/client/stdio.js'),
      import('./process-transport.ts'),
    ]),
  )
  const { name, command, args = [], env = {}, cwd, onStderr = () => {} } = server
  keepEnvironmentSecrets(env)
  const { guard } = settings
  const { maxMessageBytes } = guard.limits
  let stderrTail = ''
  const decoder = new TextDecoder()
  const transport = new ProcessTransport({
    command,
    args,
    env: { ...getDefaultEnvironment(), ...env },
    cwd,
    maxMessageBytes,
    onOverflow: () => guard.fail(`sent a message of more than ${maxMessageBytes} bytes`),
    onStderr: (bytes) => {
      const text = decoder.decode(bytes, { stream: true })
      stderrTail = (stderrTail + text).slice(-MAX_STDERR_CHARS)
      onStderr(text)
    },
  })
  try {
    return await connectClient(transport, settings)
  } catch (cause) {
    const stderr = settings.quotesStderr ? stderrTail.trim() : ''
    const quotation = stderr === '' ? '' : ` It wrote:\n${stderr}`
    throw new MillraceError(
      'connection_lost',
      `The MCP server "${name}" (\`${command}\`) could not be started: ${reasonOf(cause)}.${quotation}`,
      { cause },
    )
  }
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Statuses with which servers of the older transport reject streamable HTTP. */
const olderServerStatuses: ReadonlySet<unknown> = new Set([400, 404, 405])

/** Connects over streamable HTTP, or over SSE to an older server. */
async function openHttp(server: McpHttpServer, settings: ClientSettings): Promise<LiveClient> {
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

interface ClientSettings {
  readonly connectTimeoutMs: number
  readonly onToolsChanged: () => void
  /** Whether an error quotes the stderr of a process, which is for developers and not for models. */
  readonly quotesStderr: boolean
  readonly guard: ConnectionGuard
}

/** Connects a client of the official SDK over a transport. `endSession` ends the session of the server. */
async function connectClient(
  transport: Transport,
  { connectTimeoutMs, onToolsChanged, guard }: ClientSettings,
  endSession: () => Promise<void> = async () => {},
): Promise<LiveClient> {
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await loadSdk(() =>
    Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]),
  )
  const client = new Client({ name: 'millrace', version: '1' })
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged)
  try {
    await client.connect(guard.wrap(transport), { timeout: toTimer(connectTimeoutMs) })
  } catch (error) {
    await client.close().catch(() => {})
    throw guard.failure ?? error
  }
  // The most permissive schema: the SDK's other schemas reject a whole list or result because of one invalid entry.
  const send: LiveClient['send'] = (request, options) =>
    client.request(request, ResultSchema, options)
  return new LiveClient(client, { send, endSession, guard })
}

/** Loads a part of the official SDK on demand. The SDK is an optional dependency. */
function loadSdk<Module>(load: () => Promise<Module>): Promise<Module> {
  return loadPeer('@modelcontextprotocol/sdk', 'An MCP server', load)
}
