import { createEnds, type Ends, type EndsOptions } from './ends.ts'
import { createHints, type Hints, type HintsOptions } from './hints.ts'
import { createWatch } from './watch.ts'

/** How readers learn of messages: from appends here, from notifications, and by looking. */
export interface News {
  readonly ends: Ends
  readonly hints: Hints
  /** Sends away those who wait, as the store closes. */
  dismiss(): void
  close(): Promise<void>
}

/** What news are made with. */
export interface NewsOptions
  extends Pick<EndsOptions, 'look'>, Omit<HintsOptions, 'onTail' | 'onHearing'> {
  readonly pollMs: number
}

/** Connects ends, notifications and the watch. */
export function createNews({ look, pollMs, ...options }: NewsOptions): News {
  const ends = createEnds({ look, onWait: () => watch.start() })
  // Those who wait are told by the watch if it fails too.
  const ask = (): void => void ends.ask().catch(() => {})
  const hints = createHints({
    ...options,
    // Whether a session is gone is asked: it may have begun again.
    onTail: (session, tail) => (tail > 0 ? ends.advance(session, tail) : ask()),
    onHearing: ask,
  })
  const watch = createWatch({ ends, isHearing: hints.isHearing, pollMs })
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
