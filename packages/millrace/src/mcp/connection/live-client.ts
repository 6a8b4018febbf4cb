import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Progress } from '@modelcontextprotocol/sdk/types.js'
import type { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import { onAbort } from '../../streams/index.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import { toTimer, withinMs } from './timers.ts'

/** Options of a request to an MCP server. */
export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs: number
  readonly onProgress?: (progress: Progress) => void
}

/** Sends a request through the SDK. The response is not validated. */
type SendRequest = (
  request: { method: string; params: JsonObject },
  options: { signal: AbortSignal; timeout: number; onprogress?: (progress: Progress) => void },
) => Promise<unknown>

const PING_TIMEOUT_MS = 10_000
/** Time for pending requests to fail by themselves after the server is found to be gone. */
const PENDING_GRACE_MS = 500
const END_SESSION_TIMEOUT_MS = 2000

interface ClientParts {
  readonly send: SendRequest
  readonly endSession: () => Promise<void>
  readonly guard: ConnectionGuard
}

/** A connected or closed client of the SDK. */
export class LiveClient {
  readonly send: SendRequest
  readonly #client: Client
  readonly #endSession: () => Promise<void>
  readonly #guard: ConnectionGuard
  #pending = 0
  #state: 'usable' | 'retired' | 'closed' = 'usable'
  #isPinging = false
  #graceTimer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client, { send, endSession, guard }: ClientParts) {
    this.send = send
    this.#client = client
    this.#endSession = endSession
    this.#guard = guard
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    client.onclose = () => (this.#state = 'closed')
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onerror = () => void this.#ping()
  }

  /** Whether the client accepts further requests. */
  get isUsable(): boolean {
    return this.#state === 'usable'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** The exceeded limit that closed the connection. */
  get failure(): MillraceError | undefined {
    return this.#guard.failure
  }

  /** Sends a request. The response is not validated. */
  async request(
    method: string,
    params: JsonObject,
    { signal, timeoutMs, onProgress }: RequestOptions,
  ): Promise<JsonObject> {
    const call = createCallSignal(signal)
    const progress = onProgress === undefined ? {} : { onprogress: onProgress }
    const options = { signal: call.signal, timeout: toTimer(timeoutMs), ...progress }
    this.#pending++
    try {
      const result = await this.send({ method, params }, options)
      return isJsonObject(result) ? result : {}
    } finally {
      call.dispose()
      this.#pending--
      if (this.#state === 'retired') this.retire()
    }
  }

  /** Accepts no further requests, and closes after the last pending response. */
  retire(): void {
    if (this.#state === 'usable') this.#state = 'retired'
    if (this.#pending === 0) void this.close()
  }

  async disconnect(): Promise<void> {
    if (this.isUsable) await withinMs(END_SESSION_TIMEOUT_MS, this.#endSession())
    await this.close()
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    clearTimeout(this.#graceTimer)
    await this.#client.close().catch(() => {})
  }

  /**
   * Pings the server after an error. Over HTTP a crash is not signalled, and pending calls would wait for their
   * timeout. A timeout of the ping counts as slow, not as dead.
   */
  async #ping(): Promise<void> {
    if (this.#isPinging || this.isClosed) return
    this.#isPinging = true
    try {
      await this.#client.ping({ timeout: PING_TIMEOUT_MS })
    } catch (error) {
      if (!isTimeout(error)) this.#abandon()
    } finally {
      this.#isPinging = false
    }
  }

  #abandon(): void {
    this.retire()
    if (this.#state === 'retired') {
      this.#graceTimer ??= setTimeout(() => void this.close(), PENDING_GRACE_MS)
    }
  }
}

/** JSON-RPC code of the SDK for request timeouts. */
const REQUEST_TIMEOUT = -32001

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === REQUEST_TIMEOUT
}

/**
 * Creates a signal for one request. The SDK sends a cancellation whenever a signal aborts, even after the response,
 * so requests cannot share a signal. `dispose` detaches it from its source after the request.
 */
function createCallSignal(source: AbortSignal | undefined) {
  const controller = new AbortController()
  const dispose = onAbort(source, () => controller.abort(source?.reason))
  return { signal: controller.signal, dispose }
}
