import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import { isMillraceError, MillraceError } from '../errors/index.ts'

/** Bounds on what a server may send. */
export interface GuardLimits {
  readonly maxMessageBytes: number
  readonly maxNotificationsPerMinute: number
}

/** Watches one connection and closes it when its server exceeds a bound. */
export interface ConnectionGuard {
  readonly limits: GuardLimits
  /** Why the connection was closed; undefined if no bound was exceeded. */
  readonly failure: MillraceError | undefined
  /** Closes the connection for a reason that its calls are told. */
  fail(reason: string): void
  /** Passes on what is asked for, and counts the rest. */
  wrap(transport: Transport): Transport
}

const MINUTE_MS = 60_000
/** Longer ids of requests that a server makes are not answered: the answer would repeat them. */
const MAX_ID_CHARS = 256

/** Creates the guard of one connection. */
export function createGuard(
  serverName: string,
  limits: GuardLimits,
  now: () => number = Date.now,
): ConnectionGuard {
  const allowance = createAllowance(limits.maxNotificationsPerMinute, now)
  let failure: MillraceError | undefined
  let close = (): void => {}
  const fail = (reason: string): void => {
    if (failure !== undefined) return
    failure = new MillraceError(
      'connection_lost',
      `The connection to the MCP server "${serverName}" was closed: it ${reason}.`,
    )
    close()
  }
  const countUnasked = (): boolean => {
    if (failure !== undefined) return false
    if (allowance.take()) return true
    fail(`sent more than ${limits.maxNotificationsPerMinute} unrequested messages in a minute`)
    return false
  }
  return {
    limits,
    get failure() {
      return failure
    },
    fail,
    wrap(transport) {
      close = () => void transport.close().catch(() => {})
      return new GuardedTransport(transport, countUnasked)
    },
  }
}

/** A transport that drops answers that nobody waits for, and counts them and everything else that was not asked for. */
class GuardedTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #inner: Transport
  readonly #countUnasked: () => boolean
  readonly #waiting = new Set<string | number>()

  constructor(inner: Transport, countUnasked: () => boolean) {
    this.#inner = inner
    this.#countUnasked = countUnasked
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion?.(version)

  start(): Promise<void> {
    // oxlint-disable unicorn/prefer-add-event-listener -- transports of the SDK have no other way
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => {
      if (isMillraceError(error) || this.#countUnasked()) this.onerror?.(error)
    }
    this.#inner.onmessage = (message, extra) => this.#take(message, extra)
    // oxlint-enable unicorn/prefer-add-event-listener
    return this.#inner.start()
  }

  send: Transport['send'] = async (message, options) => {
    const isRequest = 'method' in message && 'id' in message
    if (isRequest) this.#waiting.add(message.id)
    else this.#forgetCancelled(message)
    try {
      await this.#inner.send(message, options)
    } catch (error) {
      if (isRequest) this.#waiting.delete(message.id)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** A request whose time is over, or which was stopped, is not waited for any more. */
  #forgetCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.['requestId']
    if (typeof id === 'string' || typeof id === 'number') this.#waiting.delete(id)
  }

  #take(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    const id = 'id' in message ? message.id : undefined
    const isAnswer = !('method' in message)
    if (isAnswer && id !== undefined && this.#waiting.delete(id)) {
      this.onmessage?.(message, extra)
      return
    }
    if (!this.#countUnasked() || isAnswer || String(id).length > MAX_ID_CHARS) return
    this.onmessage?.(message, extra)
  }
}

/** Allows so many events in a minute, all at once if need be. */
function createAllowance(perMinute: number, now: () => number): { take(): boolean } {
  let left = perMinute
  let countedAt = now()
  return {
    take() {
      const time = now()
      left = Math.min(perMinute, left + ((time - countedAt) / MINUTE_MS) * perMinute)
      countedAt = time
      left -= 1
      return left >= 0
    },
  }
}
