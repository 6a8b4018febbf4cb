import { toStoreError } from '../connection/store-errors.ts'
import type { Ends } from './ends.ts'

/** Polls the logs with waits, in addition to notifications. */
export interface Watch {
  start(): void
  close(): void
}

/** Options of {@link createWatch}. */
export interface WatchOptions {
  readonly ends: Ends
  readonly isReceiving: () => boolean
  /** Poll interval while no notifications arrive. */
  readonly pollMs: number
}

/** Minimum poll interval while notifications arrive. It limits the delay after a lost notification. */
const RECEIVING_POLL_MS = 1_000

/** Creates a watch. It polls while there are waits. */
export function createWatch({ ends, isReceiving, pollMs }: WatchOptions): Watch {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const look = async (): Promise<void> => {
    await ends.ask().catch((error: unknown) => ends.dismiss(toStoreError(error)))
    timer = undefined
    if (ends.isWaiting()) start()
  }

  const start = (): void => {
    if (timer !== undefined || isClosed) return
    const delay = isReceiving() ? Math.max(pollMs, RECEIVING_POLL_MS) : pollMs
    timer = setTimeout(() => void look(), delay)
    timer.unref()
  }

  return {
    start,
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
