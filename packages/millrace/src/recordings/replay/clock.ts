import { sleep } from '../../streams/index.ts'

/** What a replay measures time with. */
export interface Clock {
  /** Milliseconds, never fewer than before. */
  now(): number
  /** Waits; ends at once, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The clock of this machine. */
export const systemClock: Clock = { now: () => performance.now(), sleep }
