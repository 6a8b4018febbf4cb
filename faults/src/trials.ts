import type { Trial } from './trial.ts'

/** All trials, in the order of the table. */
export const trials: readonly Trial[] = []
