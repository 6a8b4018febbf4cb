import type { Work } from './bench-case.ts'

/** Samples of a quick run; the least of them is the one that the rest of the machine disturbed least. */
const SAMPLES = 7
/** A run that takes longer than this is not repeated. */
const SLOW_MS = 2_000
/** Quick work is repeated within a sample until it takes about this long, so that the clock can see it. */
const SAMPLE_MS = 100

/** CPU milliseconds that this process has used, user and system. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let sink: unknown

async function timeOnce(work: Work, times: number): Promise<number> {
  const start = cpuMs()
  for (let count = 0; count < times; count++) sink = await work()
  return (cpuMs() - start) / times
}

/** CPU milliseconds of one run: the least of several samples after a warm-up. */
export async function measure(work: Work): Promise<number> {
  const first = await timeOnce(work, 1)
  if (first > SLOW_MS) return first
  const warm = await timeOnce(work, 2)
  const times = Math.max(1, Math.round(SAMPLE_MS / Math.max(warm, 0.01)))
  let least = warm
  for (let sample = 0; sample < SAMPLES; sample++) {
    globalThis.gc?.()
    // A full collection drops optimised code whose object shapes have died; one run brings it back.
    await timeOnce(work, 1)
    least = Math.min(least, await timeOnce(work, times))
  }
  return sink === measure ? 0 : least
}
