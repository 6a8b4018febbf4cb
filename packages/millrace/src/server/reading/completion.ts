import { createListeners } from '../../streams/index.ts'

/** The completion of a stream. */
export interface Completion {
  /** The id after which `[DONE]` follows; undefined until it is known. */
  lastId(): number | undefined
  /** Whether this server can no longer learn the end: the reader is disconnected and can resume. */
  isInterrupted(): boolean
  /** Registers a listener for the next change of the values above; returns a function that removes it. */
  onChange(listener: () => void): () => void
}

/** A completion that is set later. */
export interface CompletionSource extends Completion {
  complete(lastId: number): void
  interrupt(): void
}

/** Creates the completion of a stream whose last id is known. */
export function completedAt(lastId: number): Completion {
  return { lastId: () => lastId, isInterrupted: () => false, onChange: () => () => {} }
}

/** Creates a completion that is later completed or interrupted, once. */
export function createCompletion(): CompletionSource {
  const listeners = createListeners()
  let last: number | undefined
  let interrupted = false

  const notify = (): void => {
    listeners.notify()
    listeners.clear()
  }

  return {
    lastId: () => last,
    isInterrupted: () => interrupted,
    onChange: listeners.subscribe,
    complete: (lastId) => {
      last = lastId
      notify()
    },
    interrupt: () => {
      interrupted = true
      notify()
    },
  }
}
