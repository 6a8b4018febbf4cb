import { createWaits, type Waits, type WaitsOptions } from '../../remote/index.ts'
import { createHints, type Hints, type HintsOptions } from './hints.ts'
import { createWatch } from './watch.ts'

/** Detects new frames: by appends of this process, by notifications, and by polling. */
interface News {
  readonly waits: Waits
  readonly hints: Hints
  /** Rejects all waits, because the store closes. */
  dismiss(): void
  close(): Promise<void>
}

interface NewsOptions
  extends Pick<WaitsOptions, 'look'>, Omit<HintsOptions, 'onTail' | 'onReceiving'> {
  readonly pollMs: number
}

const ASKED_AT_ONCE = 1_000

/** Connects waits, notifications and the watch. */
export function createNews({ look, pollMs, ...options }: NewsOptions): News {
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
    dismiss: () => {
      watch.close()
      waits.close()
    },
    close: hints.close,
  }
}
