import { createWaits, type Waits, type WaitsOptions } from '../../remote/index.ts'
import { createHints, type HintsOptions } from './hints.ts'
import { toStoreError } from '../connection/store-errors.ts'

interface NewsOptions
  extends Pick<WaitsOptions, 'look'>, Omit<HintsOptions, 'onTail' | 'onReceiving'> {
  readonly pollMs: number
}

const ASKED_AT_ONCE = 1_000

/** Creates the lists of waiting readers, which notifications and polling end. */
export function createNews({ look, pollMs, ...options }: NewsOptions) {
  const waits = createWaits({ look, onWait: () => watch.start() })
  const ask = async (): Promise<void> => {
    const waited = waits.waited()
    for (let start = 0; start < waited.length; start += ASKED_AT_ONCE)
      await waits.ask(waited.slice(start, start + ASKED_AT_ONCE))
  }
  // If polling fails too, the watch rejects the waits.
  const askOnce = (): void => void ask().catch(() => {})
  const hints = createHints({
    ...options,
    // Reads the session, because a removed one may have been created again.
    onTail: (session, tail) => (tail > 0 ? waits.advance(session, tail) : askOnce()),
    onReceiving: askOnce,
  })
  const watch = createWatch({ waits, ask, isReceiving: hints.isReceiving, pollMs })
  return {
    waits,
    hints,
    /** Rejects all waits, because the store closes. */
    dismiss: () => {
      watch.close()
      waits.close()
    },
    close: hints.close,
  }
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
function createWatch({ waits, ask, isReceiving, pollMs }: WatchOptions) {
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
