import type { MillraceError } from '../../errors/index.ts'
import { onAbort } from '../../streams/index.ts'
import { logReplaced } from './fence-errors.ts'

interface Waiter {
  readonly after: number
  readonly log: string | undefined
  wake(error?: Error): void
}

/** Pending waits for the next frame of a session. */
export interface Waiters {
  /** Resolves when there is a frame after an id; rejects with the signal's reason. */
  wait(name: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /** Resolves waits for frames up to `tail`. Rejects waits for another log than `log` with `log_replaced`. */
  wake(name: string, tail: number, log?: string): void
  /** Rejects all waits for a session. */
  dismiss(name: string, error: MillraceError): void
  dismissAll(error: MillraceError): void
  /** Names of the sessions that have waits. */
  names(): readonly string[]
}

/** Creates an empty set of waits. */
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

  const wait: Waiters['wait'] = (name, after, signal, log) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const waiter: Waiter = {
        after,
        log,
        wake: (error) => {
          remove(name, waiter)
          detach()
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      add(name, waiter)
      const detach = onAbort(signal, () => waiter.wake(signal.reason as Error))
    })

  const dismiss = (name: string, error: MillraceError): void => {
    for (const waiter of byName.get(name) ?? []) waiter.wake(error)
  }

  return {
    wait,
    wake: (name, tail, log) => {
      for (const waiter of byName.get(name) ?? []) {
        if (log !== undefined && waiter.log !== undefined && waiter.log !== log)
          waiter.wake(logReplaced(name, waiter.log, { log }))
        else if (waiter.after < tail) waiter.wake()
      }
    },
    dismiss,
    dismissAll: (error) => {
      for (const name of byName.keys()) dismiss(name, error)
    },
    names: () => [...byName.keys()],
  }
}
