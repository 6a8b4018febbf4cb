import { MAX_GROWTH } from '../growth.ts'
import { measure, thorough } from '../measure.ts'
import type { MessageRunner } from './runner.ts'
import type { MessageWorkload } from './workload.ts'

/** The time of a runner for one size; undefined if it was too slow to be measured. */
export interface SizedTime {
  readonly size: number
  readonly events: number
  readonly bytes: number
  readonly milliseconds: number | undefined
}

/** The times of a runner for each size of a workload. */
export type SizedSeries = readonly SizedTime[]

/** Number of attempts before excessive growth of a series counts. */
const ATTEMPTS = 4

/** Measures a runner whose growth is judged, again if it seems too slow. A busy machine only adds to a figure, so the minimum counts. */
export async function measureGrowth(
  runner: MessageRunner,
  workload: MessageWorkload,
): Promise<SizedSeries> {
  let series = await measureSizes(runner, workload)
  for (let attempt = 1; attempt < ATTEMPTS && !isLinear(series); attempt++) {
    const again = await measureSizes(runner, workload)
    series = series.map((one, index) => ({
      ...one,
      milliseconds: Math.min(one.milliseconds ?? Infinity, again[index]?.milliseconds ?? Infinity),
    }))
  }
  return series
}

/** The largest growth over a doubling of the size; undefined without a measured doubling. */
export function worstGrowth(series: SizedSeries): number | undefined {
  const ratios = series.flatMap(({ size, milliseconds }, index) => {
    const before = series[index - 1]
    if (milliseconds === undefined || before?.milliseconds === undefined) return []
    return [(milliseconds / before.milliseconds) ** (1 / Math.log2(size / before.size))]
  })
  return ratios.length === 0 ? undefined : Math.max(...ratios)
}

/** Returns whether every size was measured and none exceeds the bound. */
export function isLinear(series: SizedSeries): boolean {
  const isWhole = series.every(({ milliseconds }) => milliseconds !== undefined)
  return isWhole && (worstGrowth(series) ?? Infinity) <= MAX_GROWTH
}

/** Measures a runner at every size, as far as its speed allows. */
export async function measureSizes(
  runner: MessageRunner,
  workload: MessageWorkload,
): Promise<SizedSeries> {
  const series: SizedTime[] = []
  for (const size of workload.sizes) {
    const sample = workload.build(size)
    const { events, bytes } = sample
    const before = series.at(-1)
    // The next size may cost more by the square of its ratio to this one.
    const guess = (before?.milliseconds ?? Infinity) * (size / (before?.size ?? size)) ** 2
    const isAsked = before === undefined || guess < thorough.patienceMs
    const milliseconds = isAsked ? await measure(runner.prepare(sample, workload)) : undefined
    series.push({ size, events, bytes, milliseconds })
  }
  return series
}
