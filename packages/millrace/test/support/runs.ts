/** A property runs at most so many times more often with MILLRACE_NIGHTLY=1; tests have so much more time then. */
export const maxNightlyFactor = 250

/** Chooses how often a property runs: the first figure in `npm test`, the second with MILLRACE_NIGHTLY=1. */
export function runs(normal: number, nightly: number): number {
  if (normal > 0 && nightly > normal * maxNightlyFactor)
    throw new Error(`${nightly} nightly runs are more than ${maxNightlyFactor} times ${normal}.`)
  return process.env['MILLRACE_NIGHTLY'] === '1' ? nightly : normal
}
