import { connectionLost } from './store-errors.ts'

/** Who is told of an outage. */
export interface OutageOptions {
  readonly onError: (error: unknown) => void
  readonly onRestored: () => void
}

/** Whether Postgres can be reached, as those who use it have seen. */
export interface Outage {
  readonly fail: (error: unknown) => void
  readonly restore: () => void
}

/** Tells once that Postgres is lost and once that it is back, however often it fails in between. */
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
