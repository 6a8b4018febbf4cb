import { inFreeTurn } from '../streams/index.ts'

/** A time on two clocks. A suspended machine may stop the monotonic clock, and the wall clock may be set at any time. */
export interface Moment {
  readonly monotonic: number
  readonly wall: number
}

/** Returns the current time on both clocks. */
export function currentMoment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() }
}

/** Returns the age of a moment by the clock that shows more. A wall clock that was set back counts as well. */
export function ageOf({ monotonic, wall }: Moment, now = currentMoment()): number {
  return Math.max(now.monotonic - monotonic, Math.abs(now.wall - wall))
}

/** Waits for a promise up to a timeout, then throws the error of `late`. The work itself continues. */
export async function inTime<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Yields to timers and sockets, without delay where `setImmediate` exists. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

let last: Promise<void> = Promise.resolve()

const freeTurn = (): Promise<void> => new Promise((resolve) => inFreeTurn(resolve))

/**
 * Waits for the next free turn of the event loop. Readers that catch up read one page a turn, one reader after the other, so that
 * new connections, health checks and live runs are served in between.
 */
export function waitForTurn(): Promise<void> {
  last = last.then(freeTurn)
  return last
}

/** A lock that runs one task at a time for each key. */
export type KeyedLock = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Creates a lock; tasks of one key run in order. */
export function createKeyedLock(): KeyedLock {
  const turns = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(task)
    const settled = turn.then(nothing, nothing).then(() => {
      if (turns.get(key) === settled) turns.delete(key)
    })
    turns.set(key, settled)
    return turn
  }
}

function nothing(): void {}
