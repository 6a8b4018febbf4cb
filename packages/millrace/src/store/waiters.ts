import type { MillraceError } from '../errors/index.ts'

interface Waiter {
  readonly after: number
  wake(error?: MillraceError): void
}

/** Those who wait for the next message of a session. */
export interface Waiters {
  /** Resolves when there is a message after an id; rejects with the reason of the signal. */
  wait(name: string, after: number, signal: AbortSignal): Promise<void>
  /** Wakes those for whom there is something to read. */
  wake(name: string, tail: number): void
  /** Wakes all who wait for a session with an error, because nothing more will come. */
  dismiss(name: string, error: MillraceError): void
  dismissAll(error: MillraceError): void
  /** The sessions that somebody waits for. */
  names(): readonly string[]
}

/** Builds a set without waiters. */
export function createWaiters(): Waiters {
  const byName = new Map<string, Set<Waiter>>()

  const remove = (name: string, waiter: Waiter): void => {
    const waiters = byName.get(name)
    waiters?.delete(waiter)
    if (waiters?.size === 0) byName.delete(name)
  }

  const add = (name: string, waiter: Waiter): void => {
    const waiters = byName.get(name) ?? new Set()
    byName.set(name, waiters.add(waiter))
  }

  const wait = (name: string, after: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        remove(name, waiter)
        signal.removeEventListener('abort', abort)
      }
      const abort = (): void => {
        settle()
        reject(signal.reason as Error)
      }
      const waiter: Waiter = {
        after,
        wake: (error) => {
          settle()
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      if (signal.aborted) return abort()
      add(name, waiter)
      signal.addEventListener('abort', abort, { once: true })
    })

  const dismiss = (name: string, error: MillraceError): void => {
    for (const waiter of byName.get(name) ?? []) waiter.wake(error)
  }

  return {
    wait,
    wake: (name, tail) => {
      for (const waiter of byName.get(name) ?? []) if (waiter.after < tail) waiter.wake()
    },
    dismiss,
    dismissAll: (error) => {
      for (const name of byName.keys()) dismiss(name, error)
    },
    names: () => [...byName.keys()],
  }
}
