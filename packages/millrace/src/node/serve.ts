import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { checkOptions, type OptionTypes } from '../errors/index.ts'
import { keepEnvironmentSecrets, parseUrl, printError } from '../outbound/index.ts'
import { setClientAddress, sourceOf } from '../server/index.ts'
import {
  isClosing,
  type ServeLimits,
  toServeLimits,
  trackConnections,
} from './connections/connections.ts'
import { listen, type RunningServer } from './listen.ts'
import {
  answerUnreadable,
  refuseConnection,
  refuseFailed,
  refuseMethod,
  refuseTarget,
} from './connections/refuse-request.ts'
import { createRequestBody, settleBody } from './connections/request-body.ts'
import { type ServedRequest, watchRequest } from './served-request.ts'
import { createPageFiles, type StaticFiles } from './static-files.ts'
import { toBodySource, writeStream } from './connections/write-stream.ts'
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A handler that can be served on a socket. */
export interface Served {
  fetch(request: Request): Promise<Response> | Response
  /** Recovers runs of an earlier server. */
  recover?(): Promise<unknown>
  /** Ends active work, so that the server can close. */
  close?(): Promise<void>
}

/** Options of {@link serve}. */
export interface ServeOptions {
  readonly handler: Served
  /** The port; 0 takes any free one. */
  readonly port?: number
  readonly host?: string
  /** A folder with a page, served beside the handler. The page can import the library from `/millrace/`. */
  readonly page?: string
  /** Whether to recover runs of an earlier server at once, and not only from the first request on. */
  readonly recovers?: boolean
  /** Time in which open connections may end when the server closes. */
  readonly closeGraceMs?: number
  /** Disconnects a reader that has not drained its socket for this long, unless its stream sets another time. */
  readonly stallTimeoutMs?: number
  /** Limits on connections. */
  readonly limits?: ServeLimits
  /** Receives each request when its response is over. */
  readonly onRequest?: (request: ServedRequest) => void
  /** Receives causes of responses with status 500 that the handler did not create. Default: prints them, masked. */
  readonly onError?: (error: unknown) => void
}

const types: OptionTypes<ServeOptions> = {
  handler: 'object',
  port: 'number',
  host: 'string',
  page: 'string',
  recovers: 'boolean',
  closeGraceMs: 'number',
  stallTimeoutMs: 'number',
  limits: 'object',
  onRequest: 'function',
  onError: 'function',
}

/** Serves a handler, such as that of `createMillrace`, on a socket. */
export function serve(
  handler: Served,
  options?: Omit<ServeOptions, 'handler'>,
): Promise<RunningServer>
export function serve(options: ServeOptions): Promise<RunningServer>
export async function serve(
  given: Served | ServeOptions,
  more: Omit<ServeOptions, 'handler'> = {},
): Promise<RunningServer> {
  const options = isServed(given) ? { ...more, handler: given } : given
  checkOptions('serve', options, types)
  const {
    handler,
    port = 8787,
    host = '127.0.0.1',
    page,
    recovers = true,
    closeGraceMs = 2_000,
    stallTimeoutMs = 30_000,
    limits: givenLimits,
    onRequest,
    onError = printError,
  } = options
  keepEnvironmentSecrets(process.env)
  const limits = toServeLimits(givenLimits)
  const { headersTimeoutMs: headersTimeout, keepAliveTimeoutMs: keepAliveTimeout } = limits
  // The interval at which Node checks for late request heads.
  const connectionsCheckingInterval = Math.min(1_000, Math.max(10, headersTimeout / 4))
  const server = createServer({ headersTimeout, keepAliveTimeout, connectionsCheckingInterval })
  const connections = trackConnections(server, limits)
  const files = page === undefined ? undefined : createPageFiles(page)
  const respond = createRespond(handler, files, onError)
  const isFull = ({ url }: IncomingMessage): boolean =>
    connections.isFull() && url?.split('?')[0]?.endsWith('/health') !== true
  const listener = getRequestListener(createAnswer(respond, isFull, stallTimeoutMs), {
    // The globals of the process must not be replaced.
    overrideGlobalObjects: false,
    // This would destroy a connection 500 ms after announcing that it is kept.
    autoCleanupIncoming: false,
    errorHandler: () => refuseTarget(),
  })
  server.on('request', (incoming, outgoing) => {
    if (isClosing(incoming.socket)) return void incoming.resume()
    connections.add(incoming, outgoing)
    if (onRequest !== undefined) watchRequest(incoming, outgoing, onRequest)
    void listener(incoming, outgoing)
  })
  server.on('clientError', (error, socket) => answerUnreadable(error, socket, connections))
  const onClose = async (): Promise<void> => handler.close?.()
  const running = await listen(server, { port, host, closeGraceMs, onClose })
  // Not awaited: requests are served meanwhile.
  if (recovers) void handler.recover?.()
  return running
}

function isServed(given: Served | ServeOptions): given is Served {
  return typeof given === 'object' && given !== null && 'fetch' in given
}

type Bindings = HttpBindings | Http2Bindings
type Respond = (request: Request) => Promise<Response>

/** Calls the page, then the handler. An error of either becomes a response. */
function createRespond(
  handler: Served,
  files: StaticFiles | undefined,
  onError: (error: unknown) => void,
): Respond {
  return async (request) => {
    try {
      const file = await files?.respond(request)
      if (file !== undefined) return file
      const response = await handler.fetch(request)
      const isMissing = files !== undefined && isMissingPage(request, response)
      return isMissing ? await toMissingPage(response) : response
    } catch (error) {
      onError(error)
      return refuseFailed()
    }
  }
}

/** Creates the function that answers a request through `respond` and leaves no unread body on its connection. */
function createAnswer(
  respond: Respond,
  isFull: (incoming: IncomingMessage) => boolean,
  stallTimeoutMs: number,
) {
  return async (light: Request, { incoming, outgoing }: Bindings): Promise<Response> => {
    if (!(outgoing instanceof ServerResponse)) throw new Error('Only HTTP/1 is supported.')
    const message = incoming as IncomingMessage
    const { method } = light
    // A request that has created its body keeps all of it in memory while the response is open.
    const body = method === 'GET' || method === 'HEAD' ? undefined : createRequestBody(message)
    const response =
      refuseMethod(method) ??
      (isFull(message) ? refuseConnection() : undefined) ??
      (await respondTo(message, toStandardRequest(light, body?.stream), respond))
    settleBody(message, outgoing, body)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (isStream !== true) return response
    const source = sourceOf(response) ?? toBodySource(response.body, stallTimeoutMs)
    writeStream(outgoing, response, source)
    return RESPONSE_ALREADY_SENT
  }
}

/** Responds to a request, with the remote address of its connection. */
async function respondTo(
  { socket }: IncomingMessage,
  request: Request | undefined,
  respond: Respond,
): Promise<Response> {
  if (request === undefined) return refuseTarget()
  if (socket.remoteAddress !== undefined) setClientAddress(request, socket.remoteAddress)
  return respond(request)
}

/** Converts a stand-in of the adapter, which `new Request(…)` does not accept; undefined if the URL is invalid. */
function toStandardRequest(light: Request, body?: ReadableStream): Request | undefined {
  const { url, method, headers, signal } = light
  // The adapter accepts hosts that are invalid in a URL, such as 256.1.1.1.
  if (parseUrl(url) === undefined) return undefined
  return new Request(url, { method, headers, signal, ...(body && { body, duplex: 'half' }) })
}

/** Whether a browser has opened a missing page. */
function isMissingPage({ method, headers }: Request, response: Response): boolean {
  if (method !== 'GET' || response.status !== 404) return false
  return wantsHtml(headers) && isJson(response.headers)
}

/** Converts an error response from JSON to a page with a link to the start page. */
async function toMissingPage(response: Response): Promise<Response> {
  const body = (await response.json().catch(() => null)) as Refusal
  const message = String(body?.error?.message ?? 'The page was not found.')
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.append('vary', 'accept')
  headers.delete('content-length')
  return new Response(toHtml(message), { status: response.status, headers })
}

/** The body of an error of our handlers; other handlers may send anything. */
type Refusal = { readonly error?: { readonly message?: unknown } } | null

/** Browsers accept HTML when they open an address; scripts, images and tools do not. */
function wantsHtml(headers: Headers): boolean {
  return headers.get('accept')?.includes('text/html') === true
}

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true
}

function toHtml(message: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Not found</title>
<h1>Not found</h1>
<p>${escapeHtml(message)}</p>
<p><a href="/">Go to the start page</a></p>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? '')
}
