interface Waiter {
  readonly after: number
  settle(error?: Error): void
}

/** Those in this process who wait for more of one session. */
export interface Tap {
  /** Resolves when there is a message after an id; rejects with the signal's reason, or with why nobody may wait. */
  wait(after: number, signal: AbortSignal): Promise<void>
  /** Wakes those for whom a tail means something to read. */
  advance(tail: number): void
  /** Sends everybody away. */
  dismiss(error: Error): void
  /** Since when nobody has waited; undefined while somebody does. */
  idleSince(): number | undefined
}

/** Builds a tap whose tail is not known yet. */
export function createTap(now = (): number => performance.now()): Tap {
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
