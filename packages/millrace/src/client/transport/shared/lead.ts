import type { TabLocks } from './tab-channel.ts'

/** The right to read the stream for all tabs, until it is given back or taken away. */
export interface Lead {
  /** Aborts when another tab has taken the lead, because this one seemed dead. */
  readonly lost: AbortSignal
  readonly end: () => void
}

/** How to ask for the lead: `steal` takes it from whoever has it; otherwise it is had if it is free, or waited for. */
export interface LeadRequest {
  readonly steal?: boolean
  readonly wait?: AbortSignal
}

/** Asks for the lead; undefined if another tab has it, or if waiting for it was aborted. */
export function seekLead(
  locks: TabLocks,
  name: string,
  { steal = false, wait }: LeadRequest = {},
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
