import type { BlockPlace } from './frames/index.ts'

/** Sends values to its listeners. */
export interface Channel<T> {
  readonly send: (value: T) => void
  readonly subscribe: (listener: (value: T) => void) => () => void
}

/** Navigation between the chat and the wire. */
export interface Jumps {
  /** To a frame of the wire by its index. */
  readonly wire: Channel<number>
  /** To a block of the chat. */
  readonly chat: Channel<BlockPlace>
}

/** Creates the navigation of a session. */
export function createJumps(): Jumps {
  return { wire: createChannel(), chat: createChannel() }
}

function createChannel<T>(): Channel<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    send(value) {
      for (const listener of listeners) listener(value)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
