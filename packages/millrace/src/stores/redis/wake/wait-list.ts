interface Waiter {
  readonly after: number
  settle(error?: Error): void
}

/** Waits for frames of one session in this process. */
export interface WaitList {
  /** Resolves when there is a frame after an id; rejects with the signal's reason or the error of `dismiss`. */
  wait(after: number, signal: AbortSignal): Promise<void>
  /** Resolves waits for frames up to a tail. */
  advance(tail: number): void
  /** Rejects all waits. */
  dismiss(error: Error): void
  /** Time of the end of the last wait; undefined while there are waits. */
  idleSince(): number | undefined
}

/** Creates an empty list of waits with an unknown tail. */
export function createWaitList(now = (): number => performance.now()): WaitList {
  const waiters = new Set<Waiter>()
  let known = 0
  let idleSince: number | undefined = now()

  const leave = (waiter: Waiter): void => {
    waiters.delete(waiter)
    if (waiters.size === 0) idleSince = now()
  }

  const wait = (after: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = (): void => waiter.settle(signal.reason as Error)
      const waiter: Waiter = {
        after,
        settle: (error) => {
          leave(waiter)
          signal.removeEventListener('abort', abort)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      if (signal.aborted) return reject(signal.reason as Error)
      if (known > after) return resolve()
      waiters.add(waiter)
      idleSince = undefined
      signal.addEventListener('abort', abort, { once: true })
    })

  return {
    wait,
    advance: (tail) => {
      if (tail <= known) return
      known = tail
      for (const waiter of waiters) if (waiter.after < tail) waiter.settle()
    },
    dismiss: (error) => {
      for (const waiter of waiters) waiter.settle(error)
    },
    idleSince: () => idleSince,
  }
}
