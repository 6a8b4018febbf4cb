import { MillraceError } from '../errors/index.ts'
import type { JsonObject } from '../json/index.ts'
import { httpStatusOf } from './http-status.ts'
import type { LiveClient, RequestOptions } from './live-client.ts'

/** A request, and whether it may be made twice where nobody knows what became of the first. */
export interface ServerRequest extends RequestOptions {
  readonly method: string
  readonly params: JsonObject
  readonly isRepeatable: boolean
  /** Runs after the server was found and before it sees the request; throws if it must not. */
  readonly check?: () => Promise<void>
}

/** A connection to a server that is made again, when it is next needed, after it was lost. */
export class ServerConnection {
  readonly #name: string
  readonly #open: () => Promise<LiveClient>
  #client: LiveClient | undefined
  /** Those that are left over may still be waiting for answers. */
  readonly #clients = new Set<LiveClient>()
  #opening: Promise<LiveClient> | undefined
  #isOver = false

  constructor(name: string, open: () => Promise<LiveClient>) {
    this.#name = name
    this.#open = open
  }

  /** Asks the server. If it was gone, or is found to be gone before it has seen the request, once more. */
  async request(request: ServerRequest): Promise<JsonObject> {
    const client = await this.#checked(request)
    try {
      return await ask(client, request)
    } catch (error) {
      const fate = fateOf(error, client)
      if (fate === 'answered' || request.signal?.aborted === true) throw error
      client.retire()
      if (fate === 'lost' && !request.isRepeatable) throw this.#lost(error, client)
    }
    return await this.#askAgain(request)
  }

  /** Closes it for good. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#opening?.catch(() => {})
    await Promise.all([...this.#clients].map((client) => client.leave()))
  }

  async #askAgain(request: ServerRequest): Promise<JsonObject> {
    const client = await this.#checked(request)
    try {
      return await ask(client, request)
    } catch (error) {
      if (fateOf(error, client) === 'answered') throw error
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
      `The MCP server "${this.#name}" went away during the call; its outcome is unknown.`,
      { cause },
    )
  }
}

function ask(client: LiveClient, { method, params, check: _check, ...options }: ServerRequest) {
  return client.request(method, params, options)
}

/** What became of a request that failed: the server has refused it, never seen it, or nobody knows. */
type Fate = 'answered' | 'unsent' | 'lost'

/** With these a server says that it does not know our session, as after its restart. */
const unknownSession: ReadonlySet<unknown> = new Set([400, 404])

/** With these a network says that nobody was there to take a request. */
const nobodyThere: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'])

function fateOf(error: unknown, client: LiveClient): Fate {
  if (client.failure !== undefined) return 'lost'
  if (isAnswer(error)) return 'answered'
  if (unknownSession.has(httpStatusOf(error))) return 'unsent'
  if (isNetworkFailure(error)) return nobodyThere.has(codeOf(error.cause)) ? 'unsent' : 'lost'
  return client.isClosed ? 'lost' : 'answered'
}

/** The code of JSON-RPC for a closed connection; servers use it for errors of their own too. */
const CONNECTION_CLOSED = -32000

/** An error that the server has sent, or the SDK in its place when the time was over. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'McpError') return false
  return !('code' in error) || error.code !== CONNECTION_CLOSED
}

/** How `fetch` fails where there was no response. */
function isNetworkFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause !== undefined
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined
}
