import { toStoreError } from '../connection/store-errors.ts'
import type { Ends } from './ends.ts'

/** Looks at the logs that somebody waits at, whatever was told or not. */
export interface Watch {
  start(): void
  close(): void
}

/** What a watch is made with. */
export interface WatchOptions {
  readonly ends: Ends
  readonly isHearing: () => boolean
  /** How often it looks while no notifications are heard. */
  readonly pollMs: number
}

/** How often it looks although notifications are heard: so late is a message whose notification was lost. */
const HEARING_POLL_MS = 1_000

/** Builds a watch, which looks as long as somebody waits. */
export function createWatch({ ends, isHearing, pollMs }: WatchOptions): Watch {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const look = async (): Promise<void> => {
    await ends.ask().catch((error: unknown) => ends.dismiss(toStoreError(error)))
    timer = undefined
    if (ends.isWaiting()) start()
  }

  const start = (): void => {
    if (timer !== undefined || isClosed) return
    const delay = isHearing() ? Math.max(pollMs, HEARING_POLL_MS) : pollMs
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
