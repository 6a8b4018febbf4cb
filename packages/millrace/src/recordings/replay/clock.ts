import { sleep } from '../../streams/index.ts'

/** The clock of a replay. */
export interface Clock {
  /** Returns monotonic milliseconds. */
  now(): number
  /** Waits; resolves at once, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The system clock. */
export const systemClock: Clock = { now: () => performance.now(), sleep }
