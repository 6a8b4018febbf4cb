import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import type { Call } from './deadlines.ts'
import { isPassing } from './redis-failure.ts'
import { storeUnavailable } from './store-errors.ts'
import { type CommandStart, createWireCommand } from './wire-command.ts'

/** What calls use of their connection. */
export interface CallPort {
  readonly client: Redis | Cluster
  /** Gives the error of a call whose time is over. */
  giveUp(): MillraceError
  /** Forgets a call that has ended. */
  finish(call: Call): void
  /** Notes why a command has failed that is sent again. */
  note(error: unknown): void
  noteReply(): void
  /** Resolves when the client can send; rejects when the deadline has passed. */
  untilReady(deadline: number): Promise<void>
}

/** An encoded command, and whether it may be carried out twice. */
export interface SentCommand {
  readonly start: CommandStart
  readonly bytes: Buffer
  readonly isRepeatable: boolean
}

interface Promised {
  resolve(this: void, reply: unknown): void
  reject(this: void, error: unknown): void
}

/** A command that failed because of the connection rests for so long before it is sent again. */
const REST_MS = 10

/** A command that is sent until it is answered, refused for good or given up. Async functions for its steps would cost as much as all else about it. */
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
    if (this.#command.isRepeatable && !isMillraceError(cause) && isPassing(cause)) {
      this.#port.note(cause)
      await sleep(REST_MS)
      if (performance.now() < this.deadline) return this.attempt()
    }
    this.#port.finish(this)
    this.#promised.reject(isMillraceError(cause) ? cause : storeUnavailable(cause))
  }
}
