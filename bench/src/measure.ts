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
  /** An input that takes more than a quarter of this is not doubled. */
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
  const [least = NaN] = await measureInTurns([work], care)
  return least
}

/** Measures works that are compared with each other, a sample of each in turn, so that other load on the machine falls on all of them. */
export async function measureInTurns(
  works: readonly Work[],
  care: Care = thorough,
): Promise<readonly number[]> {
  const samplers: Sampler[] = []
  for (const work of works) samplers.push(await warmUp(work, care))
  const quick = samplers.filter(({ least }) => least <= care.slowMs)
  // Compared works are repeated equally often, so that each sample has the same share of code that is not compiled yet.
  const times = Math.max(...quick.map(({ least }) => care.sampleMs / Math.max(least, 0.01)), 1)
  for (let sample = 0; sample < care.samples; sample++)
    for (const sampler of quick) await takeSample(sampler, Math.round(times), sample, care)
  return samplers.map(({ least }) => (sink === measure ? 0 : least))
}

interface Sampler {
  readonly work: Work
  least: number
  spent: number
}

async function warmUp(work: Work, care: Care): Promise<Sampler> {
  const first = await timeOnce(work)
  return { work, least: first > care.slowMs ? first : await timeOnce(work, 2), spent: 0 }
}

async function takeSample(
  sampler: Sampler,
  times: number,
  sample: number,
  care: Care,
): Promise<void> {
  const { work } = sampler
  if (sample > 1 && sampler.spent > care.enoughMs) return
  if (sample === 0 || care.collectsOften) {
    globalThis.gc?.()
    // A full collection drops optimised code whose object shapes have died; one run brings it back.
    await timeOnce(work)
  }
  const each = await timeOnce(work, times)
  sampler.spent += each * times
  sampler.least = Math.min(sampler.least, each)
}
