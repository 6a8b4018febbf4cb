import type { Contender } from './bench-case.ts'
import { type Care, measure, thorough } from './measure.ts'

/** The input is made this many times larger, step by step. */
export const SCALES = [1, 2, 4, 8] as const

/** Maximum factor of the cost for a doubled input; above it, the cost is not linear. */
export const MAX_GROWTH = 2.3

/** The description of a series that is not linear. */
export const GROWS_TOO_MUCH = `grows more than ${MAX_GROWTH} times when the input doubles`

/** Number of attempts before excessive growth of a series counts. */
const ATTEMPTS = 5

/** CPU milliseconds at each scale; undefined if a contender was too slow to continue. */
export type Series = readonly (number | undefined)[]

/** Measures a contender at every scale, as far as its speed allows. */
export async function measureSeries(contender: Contender, care: Care = thorough): Promise<Series> {
  const series: (number | undefined)[] = []
  for (const scale of SCALES) {
    const before = series.at(-1)
    const isTooSlow = series.length > 0 && (before === undefined || before > care.patienceMs / 4)
    series.push(isTooSlow ? undefined : await measure(await contender.prepare(scale), care))
  }
  return series
}

/** Measures a contender whose growth is judged. A busy machine only adds to a figure, so the minimum of several attempts counts. */
export async function measureGrowth(contender: Contender, care: Care = thorough): Promise<Series> {
  let series = await measureSeries(contender, care)
  for (let attempt = 1; attempt < ATTEMPTS && !isLinear(series); attempt++) {
    const again = await measureSeries(contender, care)
    series = series.map((value, index) => Math.min(value ?? Infinity, again[index] ?? Infinity))
  }
  return series
}

/** The largest growth over a doubling of the input; undefined without a measured doubling. */
export function worstGrowth(series: Series): number | undefined {
  const ratios = series.flatMap((value, index) => {
    const before = series[index - 1]
    return value === undefined || before === undefined ? [] : [value / before]
  })
  return ratios.length === 0 ? undefined : Math.max(...ratios)
}

/** Returns whether every doubling of the input was measured and is within the bound. */
export function isLinear(series: Series): boolean {
  return !series.includes(undefined) && (worstGrowth(series) ?? Infinity) <= MAX_GROWTH
}
