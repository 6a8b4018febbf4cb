import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Progress } from '@modelcontextprotocol/sdk/types.js'
import type { MillraceError } from '../errors/index.ts'
import { isJsonObject, type JsonObject } from '../json/index.ts'
import { createCallSignal } from './call-signal.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import { toTimer, withinMs } from './timers.ts'

/** How one request is made. */
export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs: number
  readonly onProgress?: (progress: Progress) => void
}

/** The SDK's own way to make a request, whose answer nobody has looked at. */
type Ask = (
  request: { method: string; params: JsonObject },
  options: { signal: AbortSignal; timeout: number; onprogress?: (progress: Progress) => void },
) => Promise<unknown>

const PING_TIMEOUT_MS = 10_000
/** How long requests that are under way may take to fail by themselves, once their server is known to be gone. */
const LOSS_GRACE_MS = 500
/** How long a server may take to hear our goodbye. */
const GOODBYE_TIMEOUT_MS = 2000

/** The parts of a client besides that of the SDK. */
export interface ClientParts {
  readonly ask: Ask
  readonly sayGoodbye: () => Promise<void>
  readonly guard: ConnectionGuard
}

/** A client of the SDK that is connected, or was. */
export class LiveClient {
  readonly ask: Ask
  readonly #client: Client
  readonly #sayGoodbye: () => Promise<void>
  readonly #guard: ConnectionGuard
  #pending = 0
  #state: 'usable' | 'retired' | 'closed' = 'usable'
  #isAskedForLife = false
  #graceTimer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client, { ask, sayGoodbye, guard }: ClientParts) {
    this.ask = ask
    this.#client = client
    this.#sayGoodbye = sayGoodbye
    this.#guard = guard
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    client.onclose = () => (this.#state = 'closed')
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onerror = () => void this.#checkLife()
  }

  /** Whether it may be given further requests. */
  get isUsable(): boolean {
    return this.#state === 'usable'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** The bound that its server exceeded, for which it was closed. */
  get failure(): MillraceError | undefined {
    return this.#guard.failure
  }

  /** Asks the server; what comes back is as it sent it. */
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
      const result = await this.ask({ method, params }, options)
      return isJsonObject(result) ? result : {}
    } finally {
      call.dispose()
      this.#pending--
      if (this.#state === 'retired') this.retire()
    }
  }

  /** Takes no further requests, and closes when the last is answered: others may still be. */
  retire(): void {
    if (this.#state === 'usable') this.#state = 'retired'
    if (this.#pending === 0) void this.close()
  }

  /** Takes leave of the server, if it wants to know, and closes. */
  async leave(): Promise<void> {
    if (this.isUsable) await withinMs(GOODBYE_TIMEOUT_MS, this.#sayGoodbye())
    await this.close()
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    clearTimeout(this.#graceTimer)
    await this.#client.close().catch(() => {})
  }

  /**
   * Over HTTP nobody says that a server has died, and its calls would wait until their time runs out. So whenever
   * something has failed it is asked whether it lives; one that is only slow to answer does.
   */
  async #checkLife(): Promise<void> {
    if (this.#isAskedForLife || this.isClosed) return
    this.#isAskedForLife = true
    try {
      await this.#client.ping({ timeout: PING_TIMEOUT_MS })
    } catch (error) {
      if (!isTimeout(error)) this.#giveUp()
    } finally {
      this.#isAskedForLife = false
    }
  }

  #giveUp(): void {
    this.retire()
    if (this.#state === 'retired') {
      this.#graceTimer ??= setTimeout(() => void this.close(), LOSS_GRACE_MS)
    }
  }
}

/** The code of JSON-RPC that the SDK gives to requests whose time has run out. */
const REQUEST_TIMEOUT = -32001

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === REQUEST_TIMEOUT
}
