/** Chooses how often a property runs: the first figure in `npm test`, the second with MILLRACE_NIGHTLY=1. */
export function runs(normal: number, nightly: number): number {
  return process.env['MILLRACE_NIGHTLY'] === '1' ? nightly : normal
}
