import type { Frame } from '../../session.ts'

/** A message between tabs of one session. */
export type TabMessage =
  /** Asks which tab reads the stream. */
  | { readonly kind: 'hello' }
  /** Reply of the tab that reads the stream, with the last id that it has read. */
  | { readonly kind: 'here'; readonly id: number }
  /** Frames after an id. An empty list is a heartbeat. */
  | { readonly kind: 'frames'; readonly after: number; readonly frames: readonly Frame[] }

/** A channel between tabs. It delivers each message to all other tabs, in order. */
export interface TabChannel {
  readonly post: (message: TabMessage) => void
  /** Sets the callback for messages of other tabs. */
  readonly listen: (hear: (message: TabMessage) => void) => void
  readonly close: () => void
}

/** The members of `navigator.locks` that tabs need. */
export interface TabLocks {
  request(
    name: string,
    options: {
      readonly ifAvailable?: boolean
      readonly steal?: boolean
      readonly signal?: AbortSignal
    },
    callback: (lock: unknown) => Promise<void>,
  ): Promise<unknown>
}

/** Opens a channel of the browser. */
export function openTabChannel(name: string): TabChannel {
  const channel = new BroadcastChannel(name)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
    post: (message) => channel.postMessage(message),
    listen: (hear) => channel.addEventListener('message', ({ data }) => hear(data as TabMessage)),
    close: () => channel.close(),
  }
}

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
