import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import type { Call } from './deadlines.ts'
import { isPassing } from './redis-failure.ts'
import { storeUnavailable } from './store-errors.ts'
import { type CommandStart, createWireCommand } from './wire-command.ts'

/** Members of a connection that calls use. */
export interface CallPort {
  readonly client: Redis | Cluster
  /** Returns the error of an expired call. */
  giveUp(): MillraceError
  /** Removes an ended call. */
  finish(call: Call): void
  /** Records the error of a repeated command; returns the reason, which errors of the closed connection follow. */
  note(error: unknown): unknown
  noteReply(): void
  /** Resolves when the client can send; rejects after the deadline. */
  untilReady(deadline: number): Promise<void>
}

/** An encoded command, and whether it may run twice. */
interface SentCommand {
  readonly start: CommandStart
  readonly bytes: Buffer
  readonly isRepeatable: boolean
}

interface Promised {
  resolve(this: void, reply: unknown): void
  reject(this: void, error: unknown): void
}

/** Delay before a command is repeated after a connection failure. */
const REST_MS = 10

/** A command that is repeated until it is answered, refused or expired. Async functions for its steps would double its cost. */
export class SentCall implements Call {
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
    else this.#port.untilReady(this.deadline).then(() => this.#write(), this.#recover)
  }

  expire(): void {
    this.#port.finish(this)
    this.#promised.reject(this.#port.giveUp())
  }

  #write(): void {
    const command = createWireCommand(this.#command.start, this.#command.bytes)
    this.#port.client.sendCommand(command)
    command.promise.then(this.#land, this.#recover)
  }

  readonly #land = (reply: unknown): void => {
    this.#port.noteReply()
    this.#port.finish(this)
    this.#promised.resolve(reply)
  }

  readonly #recover = async (cause: unknown): Promise<void> => {
    let reason = cause
    if (this.#command.isRepeatable && !isMillraceError(cause) && isPassing(cause)) {
      reason = this.#port.note(cause)
      await sleep(REST_MS)
      if (performance.now() < this.deadline) return this.attempt()
    }
    this.#port.finish(this)
    this.#promised.reject(isMillraceError(cause) ? cause : storeUnavailable(reason))
  }
}
