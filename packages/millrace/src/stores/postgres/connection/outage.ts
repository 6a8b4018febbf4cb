import { connectionLost } from './store-errors.ts'

/** Options of {@link createOutage}. */
export interface OutageOptions {
  readonly onError: (error: unknown) => void
  readonly onRestored: () => void
}

/** Whether Postgres can be reached, as reported by its callers. */
export interface Outage {
  readonly fail: (error: unknown) => void
  readonly restore: () => void
}

/** Creates an outage detector. It reports each connection failure once, and each recovery once. */
export function createOutage({ onError, onRestored }: OutageOptions): Outage {
  let isLost = false
  return {
    fail: (error) => {
      if (isLost) return
      isLost = true
      onError(connectionLost(error))
    },
    restore: () => {
      if (!isLost) return
      isLost = false
      onRestored()
    },
  }
}
