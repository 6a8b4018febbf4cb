import { storeClosed } from '../../port/index.ts'
import { isOfMachine, isRefusal, toStoreError } from '../file/store-errors.ts'
import type { Transaction } from './transaction.ts'

/** Groups the writes of all sessions into transactions. */
export type GroupCommit = ReturnType<typeof createGroupCommit>

interface GroupCommitOptions {
  /** Runs a function in one transaction and commits; throws if nothing was committed. */
  readonly commit: (run: (transaction: Transaction) => void) => Promise<void>
  /** Minimum time between the starts of commits; longer under many writes. After a pause, the next one starts at once. */
  readonly groupMs: number
}

/** Maximum size of a group, which bounds the time of a commit. */
const maxGroupJobs = 1024
/** A group that is larger than this delays the next one in proportion, up to a limit. */
const busyGroupJobs = 16
const maxSpread = 4

/** Creates the queue of writes, which commits those that wait in one transaction. */
export function createGroupCommit({ commit, groupMs }: GroupCommitOptions) {
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
      // One job cannot be written. Run separately, the others can.
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
    /**
     * Resolves when the work is committed. The work must compare before it writes; an error that it throws then rejects only its own promise,
     * not the others of the group. It may run more than once.
     */
    write: <T>(work: (transaction: Transaction) => T): Promise<T> =>
      new Promise((resolve, reject) => {
        if (isClosed) throw storeClosed()
        queue.push(new Job(work, resolve, reject) as unknown as Job<never>)
        flight ??= drain()
      }),
    /** Rejects new work, and resolves when all accepted work is committed. */
    close: async () => {
      isClosed = true
      await flight
    },
  }
}

/**
 * Returns the factor of the delay. A commit takes at least half a millisecond of CPU, however small, so under many writes larger groups
 * cost less.
 */
function spread(jobs: number): number {
  return Math.min(Math.max(1, jobs / busyGroupJobs), maxSpread)
}

/** Waits at least until the end of this turn of the event loop, so that its other writes join the same commit. */
function nextTurn(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (delayMs > 0) setTimeout(resolve, delayMs)
    else setImmediate(resolve)
  })
}

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

  /** Settles the promise with the result of the last run. */
  settle(): void {
    if (this.#refusal === undefined) this.#resolve(this.#value as T)
    else this.reject(this.#refusal.error)
  }
}
