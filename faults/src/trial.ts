import type { StoreKind, StoreName } from '@millrace/bench/servers'

/** The result of one trial on one store: a row of the table. */
export interface Finding {
  /** The operation on the system, and its count: `kill -9 at the 1st … 200th event`. */
  readonly what: string
  /** The system: `SQLite`, `Redis, two servers`. */
  readonly where: string
  /** The outcome, in figures: `400 kills, 0 gaps, 0 duplicates, 0 changed`. */
  readonly figures: string
  /** The bound: `0`, `at most 64 KiB each`. */
  readonly bound: string
  /** Each defect; none if the trial passes. */
  readonly faults: readonly string[]
}

/** The progress of a trial, for its observers. */
export type OnProgress = (done: number, total: number, what?: string) => void

/** The context of a trial. */
export interface TrialOptions {
  /** Whether the trial may take minutes, or only the seconds of `npm test`. */
  readonly isShort: boolean
  /** The stores to try: the chosen ones that this machine supports. */
  readonly stores: readonly StoreKind[]
  readonly onProgress: OnProgress
  /** Aborts when the trial must stop; it then ends everything that it has started. */
  readonly signal: AbortSignal
}

/** An injected failure of the real world, with a check of its effects. */
export interface Trial {
  readonly name: string
  readonly summary: string
  /** Not part of the short form: names the test or benchmark that replaces it. */
  readonly elsewhere?: string
  /** The only store that the trial uses; any store if absent. */
  readonly only?: StoreName
  /** Measures times or memory, so that no other trial may run at the same time. */
  readonly isAlone?: true
  run(options: TrialOptions): Promise<readonly Finding[]>
}
