/** Maximum factor for the runs of a property with MILLRACE_NIGHTLY=1; the time limit of tests grows by the same factor. */
export const maxNightlyFactor = 250

/** Chooses the number of runs of a property: the first figure in `npm test`, the second with MILLRACE_NIGHTLY=1. */
export function runs(normal: number, nightly: number): number {
  if (normal > 0 && nightly > normal * maxNightlyFactor)
    throw new Error(`${nightly} nightly runs are more than ${maxNightlyFactor} times ${normal}.`)
  return process.env['MILLRACE_NIGHTLY'] === '1' ? nightly : normal
}
