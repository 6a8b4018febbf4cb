import { MillraceError } from '../../errors/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { httpStatusOf } from './http-status.ts'
import type { LiveClient, RequestOptions } from './live-client.ts'

/** A request of a {@link ServerConnection}. `isRepeatable` allows a second attempt if the outcome of the first is unknown. */
interface ServerRequest extends RequestOptions {
  readonly method: string
  readonly params: JsonObject
  readonly isRepeatable: boolean
  /** Runs after the connection is established and before the request is sent. Throws to prevent the request. */
  readonly check?: () => Promise<void>
}

/** A connection to a server that reconnects on demand after a failure. */
export class ServerConnection {
  readonly #name: string
  readonly #open: () => Promise<LiveClient>
  #client: LiveClient | undefined
  /** All clients. Former ones may still wait for responses. */
  readonly #clients = new Set<LiveClient>()
  #opening: Promise<LiveClient> | undefined
  #isOver = false

  constructor(name: string, open: () => Promise<LiveClient>) {
    this.#name = name
    this.#open = open
  }

  /** Sends a request. Repeats it once if the server was not reached. */
  async request(request: ServerRequest): Promise<JsonObject> {
    const client = await this.#checked(request)
    try {
      return await sendRequest(client, request)
    } catch (error) {
      const outcome = outcomeOf(error, client)
      if (outcome === 'answered' || request.signal?.aborted === true) throw error
      client.retire()
      if (outcome === 'lost' && !request.isRepeatable) throw this.#lost(error, client)
    }
    return await this.#retry(request)
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#opening?.catch(() => {})
    await Promise.all([...this.#clients].map((client) => client.disconnect()))
  }

  async #retry(request: ServerRequest): Promise<JsonObject> {
    const client = await this.#checked(request)
    try {
      return await sendRequest(client, request)
    } catch (error) {
      if (outcomeOf(error, client) === 'answered') throw error
      client.retire()
      throw this.#lost(error, client)
    }
  }

  async #checked({ check }: ServerRequest): Promise<LiveClient> {
    if (check === undefined) return this.#connected()
    await this.#connected()
    await check()
    return this.#connected()
  }

  async #connected(): Promise<LiveClient> {
    if (this.#isOver) throw this.#closed()
    if (this.#client?.isUsable === true) return this.#client
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined))
    return await this.#opening
  }

  async #connect(): Promise<LiveClient> {
    const client = await this.#open()
    for (const old of this.#clients) if (old.isClosed) this.#clients.delete(old)
    this.#clients.add(client)
    this.#client = client
    if (!this.#isOver) return client
    throw this.#closed()
  }

  #closed(): MillraceError {
    return new MillraceError('connection_lost', `The MCP server "${this.#name}" was closed.`)
  }

  #lost(cause: unknown, { failure }: LiveClient): MillraceError {
    if (failure !== undefined) return failure
    return new MillraceError(
      'connection_lost',
      `The MCP server "${this.#name}" disconnected during the call; its outcome is unknown.`,
      { cause },
    )
  }
}

function sendRequest(
  client: LiveClient,
  { method, params, check: _check, ...options }: ServerRequest,
) {
  return client.request(method, params, options)
}

/** The outcome of a failed request: rejected by the server, never received, or unknown. */
type RequestOutcome = 'answered' | 'unsent' | 'lost'

/** HTTP statuses for an unknown session, for example after a restart of the server. */
const unknownSessionStatuses: ReadonlySet<unknown> = new Set([400, 404])

/** Network errors that occur before a request is received. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
])

function outcomeOf(error: unknown, client: LiveClient): RequestOutcome {
  if (client.failure !== undefined) return 'lost'
  if (isAnswer(error)) return 'answered'
  if (unknownSessionStatuses.has(httpStatusOf(error))) return 'unsent'
  if (isNetworkFailure(error)) return unreachableCodes.has(codeOf(error.cause)) ? 'unsent' : 'lost'
  return client.isClosed ? 'lost' : 'answered'
}

/** JSON-RPC code for a closed connection. Servers also use it for their own errors. */
const CONNECTION_CLOSED = -32000

/** Checks for an error response of the server, or a timeout of the SDK. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'McpError') return false
  return !('code' in error) || error.code !== CONNECTION_CLOSED
}

/** Checks for an error of `fetch` without a response. */
function isNetworkFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause !== undefined
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined
}
