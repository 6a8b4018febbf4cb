import type { Frame } from '../../session.ts'

/** What tabs of one session tell each other. */
export type TabMessage =
  /** Who reads the stream? */
  | { readonly kind: 'hello' }
  /** I do, and have read it up to this id. */
  | { readonly kind: 'here'; readonly id: number }
  /** These frames came after this id; none is a sign of life. */
  | { readonly kind: 'frames'; readonly after: number; readonly frames: readonly Frame[] }

/** How tabs reach each other: what one posts, all others hear, in order. */
export interface TabChannel {
  readonly post: (message: TabMessage) => void
  /** Calls back for each message of another tab; set once. */
  readonly listen: (hear: (message: TabMessage) => void) => void
  readonly close: () => void
}

/** The part of `navigator.locks` that tabs need. */
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

/** A channel of the browser. */
export function openTabChannel(name: string): TabChannel {
  const channel = new BroadcastChannel(name)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
    post: (message) => channel.postMessage(message),
    listen: (hear) => channel.addEventListener('message', ({ data }) => hear(data as TabMessage)),
    close: () => channel.close(),
  }
}
