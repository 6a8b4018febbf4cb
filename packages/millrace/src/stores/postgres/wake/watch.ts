import type { Waits } from '../../remote/index.ts'
import { toStoreError } from '../connection/store-errors.ts'

/** Polls the logs with waits, in addition to notifications. */
interface Watch {
  start(): void
  close(): void
}

interface WatchOptions {
  readonly waits: Waits
  /** Reads the ends of all logs with waits. */
  readonly ask: () => Promise<void>
  readonly isReceiving: () => boolean
  /** Poll interval while no notifications arrive. */
  readonly pollMs: number
}

/** Minimum poll interval while notifications arrive. It limits the delay after a lost notification. */
const RECEIVING_POLL_MS = 1_000

/** Creates a watch. It polls while there are waits. */
export function createWatch({ waits, ask, isReceiving, pollMs }: WatchOptions): Watch {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const look = async (): Promise<void> => {
    await ask().catch((error: unknown) => waits.dismissAll(toStoreError(error)))
    timer = undefined
    if (waits.waited().length > 0) start()
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
