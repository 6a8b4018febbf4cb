import type { MillraceError } from '../../../errors/index.ts'
import { connectionLost, toStoreError } from './store-errors.ts'

/** Options of {@link createOutage}. */
export interface OutageOptions {
  readonly onError: (error: unknown) => void
  readonly onRestored: () => void
}

/** Whether Postgres can be reached, as reported by its callers. */
export interface Outage {
  readonly fail: (error: unknown) => void
  readonly restore: () => void
  /** Returns the last failure, unless Postgres has answered since. */
  readonly failure: () => MillraceError | undefined
}

/** Creates an outage detector. It reports each connection failure once, and each recovery once. */
export function createOutage({ onError, onRestored }: OutageOptions): Outage {
  let last: unknown
  return {
    fail: (error) => {
      const isFirst = last === undefined
      last = error ?? 'unknown'
      if (isFirst) onError(connectionLost(error))
    },
    restore: () => {
      if (last === undefined) return
      last = undefined
      onRestored()
    },
    failure: () => (last === undefined ? undefined : toStoreError(last)),
  }
}
