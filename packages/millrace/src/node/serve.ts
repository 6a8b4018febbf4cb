import { createServer, ServerResponse } from 'node:http'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { sourceOf } from '../server/index.ts'
import { toBodySource } from './body-source.ts'
import { listen, type RunningServer } from './listen.ts'
import { isMissingPage, toMissingPage } from './missing-page.ts'
import { createPageFiles } from './page-files.ts'
import { refuseMethod, refuseRequest } from './refuse-request.ts'
import { type ServedRequest, watchRequest } from './served-request.ts'
import type { StaticFiles } from './static-files.ts'
import { writeStream } from './write-stream.ts'

/** What can be put on a socket. */
export interface Served {
  fetch(request: Request): Promise<Response> | Response
  /** Carries on what an earlier server has left behind. */
  recover?(): Promise<unknown>
  /** Ends what is under way, so that the server can close. */
  close?(): Promise<void>
}

/** What to serve, and where. */
export interface ServeOptions {
  readonly handler: Served
  /** 0 takes any free port. */
  readonly port?: number
  readonly host?: string
  /** A folder with a page, served beside the handler's routes; the page can import the library from `/millrace/`. */
  readonly page?: string
  /** Whether runs that an earlier server has left behind are carried on at once; else call `handler.recover()`. */
  readonly recovers?: boolean
  /** How long open connections may take to end when the server closes. */
  readonly closeGraceMs?: number
  /** A reader of a stream that takes nothing for this long is cut, unless the stream says otherwise. */
  readonly stallTimeoutMs?: number
  /** Told of each request when its response is over. */
  readonly onRequest?: (request: ServedRequest) => void
}

/** Listens and answers with a handler. */
export async function serve({
  handler,
  port = 8787,
  host = '127.0.0.1',
  page,
  recovers = true,
  closeGraceMs = 2_000,
  stallTimeoutMs = 30_000,
  onRequest,
}: ServeOptions): Promise<RunningServer> {
  const files = page === undefined ? undefined : createPageFiles(page)
  const answer = createAnswer(handler, files, stallTimeoutMs)
  // The globals of the process are not ours to replace.
  const listener = getRequestListener(answer, {
    overrideGlobalObjects: false,
    errorHandler: refuseRequest,
  })
  const server = createServer((incoming, outgoing) => {
    if (onRequest !== undefined) watchRequest(incoming, outgoing, onRequest)
    void listener(incoming, outgoing)
  })
  const onClose = async (): Promise<void> => handler.close?.()
  const running = await listen(server, { port, host, closeGraceMs, onClose })
  // Not waited for: whoever asks meanwhile is served.
  if (recovers) void handler.recover?.()
  return running
}

type Bindings = HttpBindings | Http2Bindings

function createAnswer(handler: Served, files: StaticFiles | undefined, stallTimeoutMs: number) {
  return async (light: Request, { outgoing }: Bindings): Promise<Response> => {
    const refusal = refuseMethod(light.method)
    if (refusal !== undefined) return refusal
    const request = toStandardRequest(light)
    const file = await files?.respond(request)
    if (file !== undefined) return file
    const response = await handler.fetch(request)
    if (files !== undefined && isMissingPage(request, response)) return toMissingPage(response)
    if (response.body === null || !(outgoing instanceof ServerResponse)) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (isStream !== true) return response
    const source = sourceOf(response) ?? toBodySource(response.body, stallTimeoutMs)
    writeStream(outgoing, response, source)
    return RESPONSE_ALREADY_SENT
  }
}

/** The adapter's own requests are stand-ins that `new Request(…)` does not take. */
function toStandardRequest(light: Request): Request {
  const { url, method, headers, signal } = light
  // A stand-in that is asked for its body keeps a whole request for as long as the response is open.
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init = { method, headers, signal, ...(hasBody && { body: light.body, duplex: 'half' }) }
  return new Request(url, init)
}
