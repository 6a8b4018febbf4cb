import type { FetchFunction } from '../../../src/client/session.ts'

/** The fault of one connection. */
export interface Fault {
  /** The request never reaches the server, or its response never reaches the client. */
  readonly lose?: 'request' | 'response'
  /** The server responds with this instead. */
  readonly refuse?: {
    readonly status: number
    readonly body?: unknown
    readonly retryAfter?: string
  }
  /** The stream stops after this many bytes: by a normal end, by an error, or in silence. */
  readonly cut?: { readonly afterBytes: number; readonly how: 'end' | 'error' | 'hang' }
  /** This frame is omitted. */
  readonly skipId?: number
  /** A requested stream begins this many frames earlier. */
  readonly repeat?: number
}

/** A request that the client made. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: unknown
  readonly headers: Headers
}

/** The behavior of a scripted server. */
export interface ScriptedServerOptions {
  /** The lines that each prompt or complete set of answers adds to the log. */
  readonly runs: readonly (readonly string[])[]
  /** One for each connection, in order; later connections have no faults. */
  readonly faults?: readonly Fault[]
  /** The number of bytes in a network chunk. */
  readonly pieceBytes?: () => number
  /** The number of answers for which the script waits before it continues. */
  readonly answersPerRun?: number
  /** The id of its log, which it names and compares. */
  readonly log?: string
}

/** A server in a function: a log that grows by scripted runs, read over a network with injected faults. */
export interface ScriptedServer {
  readonly fetch: FetchFunction
  readonly requests: readonly SeenRequest[]
  readonly log: readonly string[]
  readonly count: (method: string) => number
  /** Drops the log, like a restarted server without a store, and gives the next one this id. */
  readonly restart: (log?: string) => void
}

const encoder = new TextEncoder()

/** Creates a {@link ScriptedServer}. */
export function createScriptedServer({
  runs,
  faults = [],
  pieceBytes = () => 64,
  answersPerRun = 1,
  log: firstLog,
}: ScriptedServerOptions): ScriptedServer {
  const requests: SeenRequest[] = []
  const log: string[] = []
  let run = 0
  let logId = firstLog
  const answered = new Set<string>()

  function begin(path: string, body: unknown): number {
    const before = log.length
    const { tool_results: results = [] } = body as { tool_results?: { tool_use_id: string }[] }
    for (const { tool_use_id } of results) answered.add(tool_use_id)
    const goesOn = path.endsWith('/run') || answered.size >= answersPerRun
    if (goesOn) answered.clear()
    if (goesOn) log.push(...(runs[run++] ?? []))
    return before
  }

  async function answer(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted()
    const { pathname, searchParams, search } = new URL(url, 'http://test')
    const method = init.method ?? 'GET'
    const body: unknown = init.body ? JSON.parse(init.body as string) : undefined
    const fault = faults[requests.length] ?? {}
    requests.push({
      method,
      path: pathname,
      query: search,
      body,
      headers: new Headers(init.headers),
    })
    if (fault.lose === 'request') throw new TypeError('network down')
    if (fault.refuse) return refusal(fault.refuse)
    const named = searchParams.get('log')
    if (named !== null && named !== logId)
      return refusal({ status: 410, body: { error: { code: 'log_replaced', message: 'Gone.' } } })
    const cursor = method === 'POST' ? begin(pathname, body) : Number(searchParams.get('cursor'))
    if (fault.lose === 'response') throw new TypeError('network down')
    if (log.length === 0 && run === 0) {
      return refusal({
        status: 404,
        body: { error: { code: 'not_found', message: 'No session.' } },
      })
    }
    const from = Math.max(0, cursor - (method === 'GET' ? (fault.repeat ?? 0) : 0))
    const network = { fault, pieceBytes, signal: init.signal, logId }
    return toResponse(encodeFrames(log, from, fault), network)
  }

  return {
    fetch: answer,
    requests,
    log,
    restart: (next) => {
      log.length = 0
      logId = next
    },
    count: (method) => requests.filter((request) => request.method === method).length,
  }
}

function encodeFrames(log: readonly string[], from: number, { skipId }: Fault): Uint8Array {
  const frames = log
    .map((line, index) => ({ id: index + 1, text: `id: ${index + 1}\ndata: ${line}\n\n` }))
    .slice(from)
    .filter(({ id }) => id !== skipId)
  return encoder.encode(`: hello\n\n${frames.map(({ text }) => text).join('')}data: [DONE]\n\n`)
}

interface Network {
  readonly fault: Fault
  readonly pieceBytes: () => number
  readonly signal?: AbortSignal | null | undefined
  readonly logId: string | undefined
}

function toResponse(bytes: Uint8Array, network: Network): Response {
  const { pieceBytes, signal, logId } = network
  const { cut } = network.fault
  const end = Math.min(bytes.length, cut?.afterBytes ?? Infinity)
  let position = 0
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    pull(controller) {
      const next = Math.min(end, position + pieceBytes())
      if (next > position) controller.enqueue(bytes.slice(position, next))
      position = next
      if (position < end) return undefined
      if (cut?.how === 'error') controller.error(new TypeError('connection reset'))
      else if (cut?.how === 'hang') return new Promise(() => {})
      else controller.close()
      return undefined
    },
  })
  const headers = { 'content-type': 'text/event-stream', ...(logId && { 'millrace-log': logId }) }
  return new Response(body, { headers })
}

function refusal({ status, body, retryAfter }: NonNullable<Fault['refuse']>): Response {
  return new Response(body === undefined ? 'no' : JSON.stringify(body), {
    status,
    headers: {
      'content-type': body === undefined ? 'text/plain' : 'application/json',
      ...(retryAfter && { 'retry-after': retryAfter }),
    },
  })
}
