import { storeClosed } from '../../port/index.ts'
import { isOfMachine, isRefusal, toStoreError } from '../file/store-errors.ts'
import type { Transaction } from './transaction.ts'

/** Writes of all sessions, in groups of one transaction each. */
export interface GroupCommit {
  /**
   * Resolves when the work is committed. The work compares before it writes, and what it refuses rejects it alone: the
   * others of its group go on. It may be run more than once.
   */
  write<T>(work: (transaction: Transaction) => T): Promise<T>
  /** Takes no more, and resolves when all that was taken is committed. */
  close(): Promise<void>
}

/** How groups are made. */
export interface GroupCommitOptions {
  /** Runs in one transaction what it is given, and commits; throws if nothing was committed. */
  readonly commit: (run: (transaction: Transaction) => void) => Promise<void>
  /** Commits begin at least so far apart, and farther where many writes come; after a pause the next begins at once. */
  readonly groupMs: number
}

/** A group is not larger, so that none takes long. */
const maxGroupJobs = 1024
/** Larger groups make the next one wait longer, by as many times as they are larger, up to a bound. */
const busyGroupJobs = 16
const maxSpread = 4

/** Builds what makes groups. */
export function createGroupCommit({ commit, groupMs }: GroupCommitOptions): GroupCommit {
  const queue: Job<never>[] = []
  let flight: Promise<void> | undefined
  let lastStart = -Infinity
  let lastJobs = 0
  let isClosed = false

  const commitJobs = async (jobs: readonly Job<never>[]): Promise<void> => {
    try {
      await commit((transaction) => jobs.forEach((job) => job.run(transaction)))
      for (const job of jobs) job.settle()
    } catch (error) {
      // One of them cannot be written; alone, the others can.
      if (jobs.length > 1 && !isOfMachine(error)) for (const job of jobs) await commitJobs([job])
      else for (const job of jobs) job.reject(toStoreError(error))
    }
  }

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      await nextTurn(lastStart + groupMs * spread(lastJobs) - performance.now())
      lastStart = performance.now()
      const jobs = queue.splice(0, maxGroupJobs)
      lastJobs = jobs.length
      await commitJobs(jobs)
    }
    flight = undefined
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw storeClosed()
        queue.push(new Job(work, resolve, reject) as unknown as Job<never>)
        flight ??= drain()
      }),
    close: async () => {
      isClosed = true
      await flight
    },
  }
}

/** A commit takes half a millisecond of CPU or more, however little is in it: with many writes it pays to wait for more of them. */
function spread(jobs: number): number {
  return Math.min(Math.max(1, jobs / busyGroupJobs), maxSpread)
}

/** At least the rest of this turn of the event loop: what is still written in it goes into the same commit. */
function nextTurn(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (delayMs > 0) setTimeout(resolve, delayMs)
    else setImmediate(resolve)
  })
}

/** Work that waits for its commit. */
class Job<T> {
  readonly #work: (transaction: Transaction) => T
  readonly #resolve: (value: T) => void
  readonly reject: (error: unknown) => void
  #value: T | undefined
  #refusal: { readonly error: unknown } | undefined

  constructor(
    work: (transaction: Transaction) => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#work = work
    this.#resolve = resolve
    this.reject = reject
  }

  run(transaction: Transaction): void {
    this.#refusal = undefined
    try {
      this.#value = this.#work(transaction)
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.#refusal = { error }
    }
  }

  /** Tells what came of the last run. */
  settle(): void {
    if (this.#refusal === undefined) this.#resolve(this.#value as T)
    else this.reject(this.#refusal.error)
  }
}
