import { type Cluster, Command, type Redis } from 'ioredis'
import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import { storeClosed } from '../../port/index.ts'
import { createDeadlines } from './deadlines.ts'
import { endClient } from './end-client.ts'
import { createGate } from './gate.ts'
import type { Link } from './outage.ts'
import { isPassing } from './redis-failure.ts'
import { storeUnavailable } from './store-errors.ts'

/** What a command may be given. */
export type Argument = string | number | Buffer

/** How a command is sent. */
export interface SendOptions {
  readonly isRepeatable?: boolean
}

/** The connection that all commands share. */
export interface Connection {
  readonly client: Redis | Cluster
  /**
   * Sends a command and gives its reply, texts as bytes. If the connection is lost it is sent again, unless it must
   * not be carried out twice. Rejects with `store_unavailable` when the time is over.
   */
  send(name: string, args: Argument[], options?: SendOptions): Promise<unknown>
  /** Lets what is under way end, and refuses the rest. */
  close(): Promise<void>
}

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly client: Redis | Cluster
  readonly timeoutMs: number
  /** Whether sockets that are silent are given up here; a cluster does that for each of its own. */
  readonly isWatched: boolean
  readonly link: Link
}

/** A command that failed because of the connection rests for so long before it is sent again. */
const REST_MS = 10

/** Builds a connection around a client that is its own. */
export function createConnection(options: ConnectionOptions): Connection {
  const { client, timeoutMs, isWatched, link } = options
  const deadlines = createDeadlines(timeoutMs)
  const readiness = createGate()
  const idleness = createGate()
  let lastError: unknown
  let aliveAt = 0
  let isClosed = false

  const note = (error: unknown): void => {
    lastError = error
  }
  client.on('connect', () => (aliveAt = performance.now()))
  client.on('ready', readiness.open).on('ready', link.restore)
  client.on('ready', () => note(undefined))
  client.on('error', (error: unknown) => {
    note(error)
    link.fail(error)
  })

  /** The other end of a connection on which nothing comes may be gone without a word. */
  const giveUp = (): MillraceError => {
    const isSilent = aliveAt <= performance.now() - timeoutMs
    if (isWatched && isSilent && isConnected(client)) client.disconnect(true)
    return storeUnavailable(lastError)
  }

  const sendOnce = async (deadline: number, name: string, args: Argument[]) => {
    while (client.status !== 'ready') {
      await readiness.pass(deadline - performance.now())
      if (performance.now() >= deadline) throw storeUnavailable(lastError)
      if (isClosed) throw storeClosed()
    }
    const reply = await client.sendCommand(new Command(name, args, { replyEncoding: null }))
    aliveAt = performance.now()
    link.restore()
    return reply
  }

  return {
    client,

    send: async (name, args, { isRepeatable = true } = {}) => {
      if (isClosed) throw storeClosed()
      try {
        const sendBy = (deadline: number): Promise<unknown> => sendOnce(deadline, name, args)
        return await deadlines.run(isRepeatable ? repeatedly(sendBy, note) : sendBy, giveUp)
      } catch (error) {
        throw isMillraceError(error) ? error : storeUnavailable(error)
      } finally {
        if (isClosed && deadlines.count() === 0) idleness.open()
      }
    },

    close: async () => {
      isClosed = true
      readiness.open()
      if (deadlines.count() > 0) await idleness.pass(timeoutMs)
      await endClient(client)
    },
  }
}

/** Sends again what the connection has lost; what Redis itself refuses for good is a failure. */
function repeatedly(
  send: (deadline: number) => Promise<unknown>,
  onFailure: (error: unknown) => void,
): (deadline: number) => Promise<unknown> {
  return async (deadline) => {
    for (;;) {
      try {
        return await send(deadline)
      } catch (error) {
        if (isMillraceError(error) || !isPassing(error)) throw error
        onFailure(error)
        await new Promise((resolve) => setTimeout(resolve, REST_MS))
        if (performance.now() >= deadline) throw error
      }
    }
  }
}

function isConnected({ status }: Redis | Cluster): boolean {
  return status === 'ready' || status === 'connect'
}
