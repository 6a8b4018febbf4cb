import type { Cluster, Redis } from 'ioredis'
import type { MillraceError } from '../../../errors/index.ts'
import { storeClosed } from '../../port/index.ts'
import { type CallPort, createDeadlines, SentCall } from './sent-call.ts'
import { endClient } from './lasting-client.ts'
import { createGate } from './gate.ts'
import type { Link } from '../../remote/index.ts'
import { isExplained, storeUnavailable } from './store-errors.ts'
import { type Argument, type CommandStart, encodeCommand, encodeStart } from './wire-command.ts'

interface SendOptions {
  readonly isRepeatable?: boolean
}

/** The connection that all commands share. */
export interface Connection {
  readonly client: Redis | Cluster
  /**
   * Sends a command and returns its reply, with texts as bytes. Repeats it after a connection failure, unless it must not run twice.
   * Rejects with `store_unavailable` after the timeout.
   */
  send(name: string, args: readonly Argument[], options?: SendOptions): Promise<unknown>
  /** Sends a command with an encoded start, like {@link Connection.send}. */
  sendRest(start: CommandStart, rest: readonly Argument[], options?: SendOptions): Promise<unknown>
  /** Returns the last failure of the connection, unless it works now. */
  failure(): MillraceError | undefined
  /** Rejects new commands, and ends after the pending ones. */
  close(): Promise<void>
}

interface ConnectionOptions {
  readonly client: Redis | Cluster
  readonly timeoutMs: number
  /** Whether silent sockets are closed here. A cluster closes its own. */
  readonly isWatched: boolean
  readonly link: Link
}

/** Creates a connection for a client that nothing else uses. */
export function createConnection(options: ConnectionOptions): Connection {
  const { client, timeoutMs, isWatched, link } = options
  const readiness = createGate()
  const idleness = createGate()
  const deadlines = createDeadlines(timeoutMs, idleness.open)
  let lastError: unknown
  let aliveAt = 0
  let isClosed = false

  const note = (error: unknown): unknown => {
    lastError = isExplained(lastError) && !isExplained(error) ? lastError : error
    return lastError
  }
  client.on('connect', () => (aliveAt = performance.now()))
  client.on('ready', readiness.open).on('ready', link.restore)
  client.on('ready', () => (lastError = undefined))
  client.on('error', note).on('error', link.fail)

  /** A silent connection may have lost its peer without notice. */
  const giveUp = (): MillraceError => {
    const isSilent = aliveAt <= performance.now() - timeoutMs
    if (isWatched && isSilent && isConnected(client)) client.disconnect(true)
    return storeUnavailable(lastError)
  }

  const port: CallPort = {
    client,
    giveUp,
    note,
    finish: deadlines.delete,
    noteReply: () => {
      aliveAt = performance.now()
      lastError = undefined
      link.restore()
    },
    untilReady: async (deadline) => {
      while (client.status !== 'ready') {
        await readiness.pass(deadline - performance.now())
        if (performance.now() >= deadline) throw storeUnavailable(lastError)
        if (isClosed) throw storeClosed()
      }
    },
  }

  const sendRest: Connection['sendRest'] = (start, rest, { isRepeatable = true } = {}) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(storeClosed())
      const command = { start, bytes: encodeCommand(start, rest), isRepeatable }
      const call = new SentCall(port, command, performance.now() + timeoutMs, { resolve, reject })
      deadlines.add(call)
      call.attempt()
    })

  return {
    client,
    sendRest,
    send: (name, args, how) => sendRest(encodeStart(name, args), [], how),

    failure: () => (lastError === undefined ? undefined : storeUnavailable(lastError)),

    close: async () => {
      isClosed = true
      readiness.open()
      if (deadlines.count() > 0) await idleness.pass(timeoutMs)
      await endClient(client)
    },
  }
}

function isConnected({ status }: Redis | Cluster): boolean {
  return status === 'ready' || status === 'connect'
}
