import type { Work } from './bench-case.ts'

/** How thoroughly something is measured. */
export interface Care {
  /** Samples of a quick run; the least of them is the one that the rest of the machine disturbed least. */
  readonly samples: number
  /** Two samples are enough once they have taken this long. */
  readonly enoughMs: number
  /**
   * Quick work is repeated within a sample until it takes about this long, so that the clock can see it and the
   * collector has its share: the least of samples without a collection would flatter small inputs alone.
   */
  readonly sampleMs: number
  /** A run that takes longer than this is not repeated. */
  readonly slowMs: number
  /** What needs longer than a quarter of this is not asked for twice the input. */
  readonly patienceMs: number
  /** Whether the heap is collected before each sample, not only before the first. */
  readonly collectsOften: boolean
}

/** Enough where there are few figures. */
export const thorough: Care = {
  samples: 7,
  enoughMs: Infinity,
  sampleMs: 100,
  slowMs: 2_000,
  patienceMs: 12_000,
  collectsOften: true,
}
/** Enough where there are hundreds of figures. */
export const brief: Care = {
  samples: 5,
  enoughMs: 120,
  sampleMs: 40,
  slowMs: 300,
  patienceMs: 2_000,
  collectsOften: false,
}

/** CPU milliseconds that this process has used, user and system. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let sink: unknown

/** CPU milliseconds of one of several runs in a row. */
export async function timeOnce(work: Work, times = 1): Promise<number> {
  const start = cpuMs()
  for (let count = 0; count < times; count++) sink = await work()
  return (cpuMs() - start) / times
}

/** CPU milliseconds of one run: the least of several samples after a warm-up. */
export async function measure(work: Work, care: Care = thorough): Promise<number> {
  const first = await timeOnce(work)
  if (first > care.slowMs) return first
  const warm = await timeOnce(work, 2)
  const times = Math.max(1, Math.round(care.sampleMs / Math.max(warm, 0.01)))
  let least = warm
  let spent = 0
  for (let sample = 0; sample < care.samples; sample++) {
    if (sample > 1 && spent > care.enoughMs) break
    if (sample === 0 || care.collectsOften) {
      globalThis.gc?.()
      // A full collection drops optimised code whose object shapes have died; one run brings it back.
      await timeOnce(work)
    }
    const each = await timeOnce(work, times)
    spent += each * times
    least = Math.min(least, each)
  }
  return sink === measure ? 0 : least
}
