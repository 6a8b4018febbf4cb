import { createEnds, type Ends, type EndsOptions } from './ends.ts'
import { createHints, type Hints, type HintsOptions } from './hints.ts'
import { createWatch } from './watch.ts'

/** Detects new frames: by appends of this process, by notifications, and by polling. */
export interface News {
  readonly ends: Ends
  readonly hints: Hints
  /** Rejects all waits, because the store closes. */
  dismiss(): void
  close(): Promise<void>
}

/** Options of {@link createNews}. */
export interface NewsOptions
  extends Pick<EndsOptions, 'look'>, Omit<HintsOptions, 'onTail' | 'onReceiving'> {
  readonly pollMs: number
}

/** Connects ends, notifications and the watch. */
export function createNews({ look, pollMs, ...options }: NewsOptions): News {
  const ends = createEnds({ look, onWait: () => watch.start() })
  // If polling fails too, the watch rejects the waits.
  const ask = (): void => void ends.ask().catch(() => {})
  const hints = createHints({
    ...options,
    // Reads the session, because a removed one may have been created again.
    onTail: (session, tail) => (tail > 0 ? ends.advance(session, tail) : ask()),
    onReceiving: ask,
  })
  const watch = createWatch({ ends, isReceiving: hints.isReceiving, pollMs })
  return {
    ends,
    hints,
    dismiss: () => {
      watch.close()
      ends.close()
    },
    close: hints.close,
  }
}
