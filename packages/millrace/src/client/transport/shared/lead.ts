import type { TabLocks } from './tab-channel.ts'

/** The right to read the stream for all tabs, until it is released or taken away. */
export interface Lead {
  /** Aborts when another tab takes the lead, because this one seemed dead. */
  readonly lost: AbortSignal
  readonly end: () => void
}

/**
 * Requests the lead; undefined if another tab holds it, or if the wait was aborted. `steal` takes it from its holder, `wait` waits for it;
 * otherwise it is granted only if it is free.
 */
export function seekLead(
  locks: TabLocks,
  name: string,
  { steal = false, wait }: { readonly steal?: boolean; readonly wait?: AbortSignal } = {},
): Promise<Lead | undefined> {
  const lost = new AbortController()
  const options = steal ? { steal } : wait ? { signal: wait } : { ifAvailable: true }
  return new Promise((resolve) => {
    const hold = (lock: unknown): Promise<void> => {
      if (!lock) resolve(undefined)
      return lock ? new Promise((end) => resolve({ lost: lost.signal, end })) : Promise.resolve()
    }
    locks.request(name, options, hold).catch(() => {
      lost.abort('another tab reads the stream now')
      resolve(undefined)
    })
  })
}
