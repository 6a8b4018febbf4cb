/** The result of one trial on one store: a row of the table. */
export interface Finding {
  /** The operation on the system, and its count: `kill -9 at the 1st … 200th event`. */
  readonly what: string
  /** On what: `SQLite`, `Redis, two servers`. */
  readonly where: string
  /** The outcome, in figures: `400 kills, 0 gaps, 0 duplicates, 0 changed`. */
  readonly figures: string
  /** The bound: `0`, `at most 64 KiB each`. */
  readonly bound: string
  /** Each thing that was not as it should be; none if all is well. */
  readonly faults: readonly string[]
}

/** The progress of a trial, for its observers. */
export type OnProgress = (done: number, total: number, what?: string) => void

/** The context of a trial. */
export interface TrialOptions {
  /** Whether minutes may be taken, or only the seconds that `npm test` has. */
  readonly isShort: boolean
  readonly onProgress: OnProgress
  /** Aborts when the trial is to stop; everything that it has started must then be ended. */
  readonly signal: AbortSignal
}

/** Something that goes wrong in real life, done on purpose and looked at closely. */
export interface Trial {
  readonly name: string
  readonly summary: string
  /** Left out of the short form: its short form is a test or a benchmark elsewhere, which it names. */
  readonly elsewhere?: string
  /** Measures times or memory, so that no other trial may run beside it. */
  readonly isAlone?: true
  run(options: TrialOptions): Promise<readonly Finding[]>
}
