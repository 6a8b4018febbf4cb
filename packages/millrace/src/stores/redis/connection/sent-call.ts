import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import { isPassing, storeUnavailable } from './store-errors.ts'
import { type CommandStart, createWireCommand } from './wire-command.ts'

/** The connection as its sent calls see it. */
export interface CallPort {
  readonly client: Redis | Cluster
  giveUp(): MillraceError
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

interface Call {
  /** Deadline by the monotonic clock. */
  readonly deadline: number
  /** Rejects the call after its deadline. */
  expire(): void
}

/** Creates deadlines. `onIdle` is called when no call is pending. A timer for each call would cost a tenth of an append. */
export function createDeadlines(timeoutMs: number, onIdle: () => void) {
  // A Set keeps the order of starts, which is that of the deadlines.
  const calls = new Set<Call>()
  let isArmed = false

  const arm = (ms: number): void => {
    isArmed = true
    setTimeout(check, ms).unref()
  }

  const check = (): void => {
    isArmed = false
    const now = performance.now()
    for (const call of calls) {
      if (call.deadline > now) return arm(call.deadline - now)
      calls.delete(call)
      call.expire()
    }
  }

  return {
    add: (call: Call) => {
      calls.add(call)
      if (!isArmed) arm(timeoutMs)
    },
    delete: (call: Call) => {
      calls.delete(call)
      if (calls.size === 0) onIdle()
    },
    count: (): number => calls.size,
  }
}
