import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import { isMillraceError, MillraceError } from '../../errors/index.ts'

interface GuardLimits {
  readonly maxMessageBytes: number
  readonly maxNotificationsPerMinute: number
}

/** Enforces the limits of one connection and closes it when the server exceeds one. */
export type ConnectionGuard = ReturnType<typeof createGuard>

const MINUTE_MS = 60_000
/** Maximum length of the id of a server's request. A longer one gets no response, because the response would repeat it. */
const MAX_ID_CHARS = 256

/** Creates the guard of a connection, which closes it at the first violation of a limit. */
export function createGuard(serverName: string, limits: GuardLimits, now: () => number = Date.now) {
  const bucket = createTokenBucket(limits.maxNotificationsPerMinute, now)
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
  const countUnrequested = (): boolean => {
    if (failure !== undefined) return false
    if (bucket.take()) return true
    fail(`sent more than ${limits.maxNotificationsPerMinute} unrequested messages in a minute`)
    return false
  }
  return {
    limits,
    /** The reason why the connection was closed; undefined if no limit was exceeded. */
    get failure() {
      return failure
    },
    /** Closes the connection. Pending calls fail with the reason. */
    fail,
    /** Wraps a transport: passes responses on, and counts unrequested messages. */
    wrap(transport: Transport): Transport {
      close = () => void transport.close().catch(() => {})
      return new GuardedTransport(transport, countUnrequested)
    },
  }
}

/** A transport that drops unexpected responses and counts all unrequested messages. */
class GuardedTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #inner: Transport
  readonly #countUnrequested: () => boolean
  readonly #pending = new Set<string | number>()

  constructor(inner: Transport, countUnrequested: () => boolean) {
    this.#inner = inner
    this.#countUnrequested = countUnrequested
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion?.(version)

  start(): Promise<void> {
    // oxlint-disable unicorn/prefer-add-event-listener -- transports of the SDK have no other way
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => {
      if (isMillraceError(error) || this.#countUnrequested()) this.onerror?.(error)
    }
    this.#inner.onmessage = (message, extra) => this.#take(message, extra)
    // oxlint-enable unicorn/prefer-add-event-listener
    return this.#inner.start()
  }

  send: Transport['send'] = async (message, options) => {
    const isRequest = 'method' in message && 'id' in message
    if (isRequest) this.#pending.add(message.id)
    else this.#dropCancelled(message)
    try {
      await this.#inner.send(message, options)
    } catch (error) {
      if (isRequest) this.#pending.delete(message.id)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** Removes a cancelled or timed-out request from the pending ones. */
  #dropCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.['requestId']
    if (typeof id === 'string' || typeof id === 'number') this.#pending.delete(id)
  }

  #take(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    const id = 'id' in message ? message.id : undefined
    const isAnswer = !('method' in message)
    if (isAnswer && id !== undefined && this.#pending.delete(id)) {
      this.onmessage?.(message, extra)
      return
    }
    if (!this.#countUnrequested() || isAnswer || String(id).length > MAX_ID_CHARS) return
    this.onmessage?.(message, extra)
  }
}

/** Creates a token bucket that holds one minute's worth of tokens. */
function createTokenBucket(perMinute: number, now: () => number): { take(): boolean } {
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
