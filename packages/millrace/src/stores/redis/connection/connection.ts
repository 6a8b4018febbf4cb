import type { Cluster, Redis } from 'ioredis'
import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import { storeClosed } from '../../port/index.ts'
import { type Call, createDeadlines } from './deadlines.ts'
import { endClient } from './end-client.ts'
import { createGate } from './gate.ts'
import type { Link } from './outage.ts'
import { isPassing } from './redis-failure.ts'
import { storeUnavailable } from './store-errors.ts'
import {
  type Argument,
  type CommandStart,
  createWireCommand,
  encodeCommand,
  encodeStart,
} from './wire-command.ts'

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
  send(name: string, args: readonly Argument[], options?: SendOptions): Promise<unknown>
  /** Sends a command whose start is encoded already, like {@link Connection.send}. */
  sendRest(start: CommandStart, rest: readonly Argument[], options?: SendOptions): Promise<unknown>
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

  const finish = (call: Call): void => {
    deadlines.delete(call)
    if (isClosed && deadlines.count() === 0) idleness.open()
  }

  const port: CallPort = {
    client,
    giveUp,
    finish,
    noteReply: () => {
      aliveAt = performance.now()
      link.restore()
    },
    untilReady: async (deadline) => {
      while (client.status !== 'ready') {
        await readiness.pass(deadline - performance.now())
        if (performance.now() >= deadline) throw storeUnavailable(lastError)
        if (isClosed) throw storeClosed()
      }
    },
    mayRepeat: async (error, deadline) => {
      if (isMillraceError(error) || !isPassing(error)) return false
      note(error)
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
      return performance.now() < deadline
    },
  }

  const sendRest: Connection['sendRest'] = (start, rest, { isRepeatable = true } = {}) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(storeClosed())
      const command = { start, bytes: encodeCommand(start, rest), isRepeatable }
      const deadline = performance.now() + timeoutMs
      const call = new SentCall(port, command, deadline, { resolve, reject })
      deadlines.add(call)
      call.attempt()
    })

  return {
    client,
    sendRest,
    send: (name, args, options) => sendRest(encodeStart(name, args), [], options),

    close: async () => {
      isClosed = true
      readiness.open()
      if (deadlines.count() > 0) await idleness.pass(timeoutMs)
      await endClient(client)
    },
  }
}

/** What calls use of their connection. */
interface CallPort {
  readonly client: Redis | Cluster
  giveUp(): MillraceError
  finish(call: Call): void
  noteReply(): void
  untilReady(deadline: number): Promise<void>
  /** Tells, after a rest, whether it helps to send a command again; what Redis itself refuses for good is a failure. */
  mayRepeat(error: unknown, deadline: number): Promise<boolean>
}

interface SentCommand {
  readonly start: CommandStart
  readonly bytes: Buffer
  readonly isRepeatable: boolean
}

interface Promised {
  resolve(this: void, reply: unknown): void
  reject(this: void, error: unknown): void
}

/** One call: a command that is sent until it is answered, refused or given up. Async functions for its steps would cost as much as all else about it. */
class SentCall implements Call {
  readonly #port: CallPort
  readonly #command: SentCommand
  readonly #promised: Promised
  readonly deadline: number

  constructor(port: CallPort, command: SentCommand, deadline: number, promised: Promised) {
    this.#port = port
    this.#command = command
    this.#promised = promised
    this.deadline = deadline
  }

  attempt(): void {
    if (this.#port.client.status === 'ready') this.#write()
    else this.#port.untilReady(this.deadline).then(() => this.#write(), this.#repeat)
  }

  expire(): void {
    this.#port.finish(this)
    this.#promised.reject(this.#port.giveUp())
  }

  #write(): void {
    const command = createWireCommand(this.#command.start, this.#command.bytes)
    this.#port.client.sendCommand(command)
    command.promise.then(this.#land, this.#repeat)
  }

  readonly #land = (reply: unknown): void => {
    this.#port.noteReply()
    this.#port.finish(this)
    this.#promised.resolve(reply)
  }

  readonly #repeat = (error: unknown): void => {
    const fail = (cause: unknown): void => {
      this.#port.finish(this)
      this.#promised.reject(isMillraceError(cause) ? cause : storeUnavailable(cause))
    }
    if (!this.#command.isRepeatable) return fail(error)
    this.#port
      .mayRepeat(error, this.deadline)
      .then((mayRepeat) => (mayRepeat ? this.attempt() : fail(error)), fail)
  }
}

function isConnected({ status }: Redis | Cluster): boolean {
  return status === 'ready' || status === 'connect'
}
