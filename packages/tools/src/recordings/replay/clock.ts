import { sleep } from '../../streams/sleep.ts'

/** The clock of a replay. */
export interface Clock {
  /** Returns monotonic milliseconds. */
  now(): number
  /** Waits; resolves at once, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The system clock. */
export const systemClock: Clock = { now: () => performance.now(), sleep }
