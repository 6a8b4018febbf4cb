import type { Work } from './bench-case.ts'

/** The thoroughness of a measurement. */
export interface Care {
  /** Samples of a quick run. The minimum counts, because it has the least disturbance by the machine. */
  readonly samples: number
  /** Two samples are enough once they have taken this long. */
  readonly enoughMs: number
  /**
   * Quick work is repeated within a sample until it takes about this long. The clock then has enough resolution, and each sample includes
   * garbage collection; otherwise the minimum would favor small inputs.
   */
  readonly sampleMs: number
  /** A run that takes longer than this is not repeated. */
  readonly slowMs: number
  /** An input that takes more than a quarter of this is not doubled. */
  readonly patienceMs: number
  /** Whether garbage is collected before each sample, not only before the first. */
  readonly collectsOften: boolean
}

/** Settings for few figures. */
export const thorough: Care = {
  samples: 7,
  enoughMs: Infinity,
  sampleMs: 100,
  slowMs: 2_000,
  patienceMs: 12_000,
  collectsOften: true,
}
/** Settings for hundreds of figures. */
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

/** CPU milliseconds of one of several consecutive runs. */
export async function timeOnce(work: Work, times = 1): Promise<number> {
  const start = cpuMs()
  for (let count = 0; count < times; count++) sink = await work()
  return (cpuMs() - start) / times
}

/** CPU milliseconds of one run: the minimum of several samples after a warm-up. */
export async function measure(work: Work, care: Care = thorough): Promise<number> {
  const sampler = await warmUp(work, care)
  if (sampler.least <= care.slowMs) {
    const times = Math.round(Math.max(care.sampleMs / Math.max(sampler.least, 0.01), 1))
    for (let sample = 0; sample < care.samples; sample++)
      await takeSample(sampler, times, sample, care)
  }
  return sink === measure ? 0 : sampler.least
}

/**
 * Measures works that are compared, in rounds that are compared by themselves: other load on the machine differs more between rounds than
 * within one. Every second round has the opposite order. Returns CPU milliseconds of one run of each work, for each round.
 */
export async function measureInRounds(
  works: readonly Work[],
  { samples, sampleMs }: Pick<Care, 'samples' | 'sampleMs'>,
): Promise<readonly (readonly number[])[]> {
  for (const work of works) await timeOnce(work, WARM_UP_RUNS)
  const firsts = await timeEach(works, WARM_UP_RUNS)
  const times = Math.ceil(Math.max(...firsts.map((ms) => sampleMs / Math.max(ms, 0.01)), 1))
  globalThis.gc?.()
  await timeEach(works, times)
  const rounds: (readonly number[])[] = []
  for (let round = 0; round < samples; round++) {
    const isReversed = round % 2 === 1
    const found = await timeEach(isReversed ? works.toReversed() : works, times)
    rounds.push(isReversed ? found.toReversed() : found)
  }
  return rounds
}

const WARM_UP_RUNS = 20

async function timeEach(works: readonly Work[], times: number): Promise<readonly number[]> {
  const found: number[] = []
  for (const work of works) found.push(await timeOnce(work, times))
  return found
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
    // A full collection drops optimised code for object shapes that are gone; one run restores it.
    await timeOnce(work)
  }
  const each = await timeOnce(work, times)
  sampler.spent += each * times
  sampler.least = Math.min(sampler.least, each)
}
