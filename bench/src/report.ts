import type { Bench, BenchCase, CaseReport, Contender } from './bench-case.ts'
import {
  isLinear,
  GROWS_TOO_MUCH,
  measureGrowth,
  measureSeries,
  SCALES,
  type Series,
  worstGrowth,
} from './growth.ts'
import { formatTable } from './table.ts'

/** Creates a part of the benchmark from a case. */
export function toBench(benchCase: BenchCase): Bench {
  return { name: benchCase.name, run: (onProgress) => reportCase(benchCase, onProgress) }
}

/** Measures a case with all its contenders and prints the figures side by side. */
async function reportCase(
  benchCase: BenchCase,
  onProgress: (message: string) => void,
): Promise<CaseReport> {
  const contenders = [benchCase.ours, benchCase.floor, ...benchCase.peers]
  const rows: { contender: Contender; series: Series }[] = []
  for (const contender of contenders) {
    onProgress(`${benchCase.name}: ${contender.name}`)
    const isOurs = contender === benchCase.ours
    rows.push({ contender, series: await (isOurs ? measureGrowth : measureSeries)(contender) })
  }
  const ours = rows[0]?.series ?? []
  const header = [
    '',
    ...SCALES.map((scale) => `${scale}×`),
    'growth',
    `µs/${benchCase.unit}`,
    'against ours',
  ]
  const lines = rows.map(({ contender, series }) => [
    contender.note === undefined ? contender.name : `${contender.name} (${contender.note})`,
    ...series.map(formatMs),
    worstGrowth(series)?.toFixed(2) ?? '–',
    formatEach(series, benchCase),
    formatRatio(series, ours),
  ])
  return {
    text: `${benchCase.name}: ${benchCase.job}\n${formatTable([header, ...lines])}`,
    faults: [
      ...(isLinear(ours) ? [] : [GROWS_TOO_MUCH]),
      ...compareFloor(benchCase, ours, rows[1]?.series ?? []),
    ],
  }
}

/** Returns a fault if the ratio of our cost to the floor is too high. */
function compareFloor({ maxOfFloor }: BenchCase, ours: Series, floor: Series): readonly string[] {
  const last = lastMeasured(floor)
  const ratio = (ours[last] ?? Infinity) / (floor[last] ?? 0)
  if (maxOfFloor === undefined || ratio <= maxOfFloor) return []
  return [`costs ${ratio.toFixed(2)} times the floor; at most ${maxOfFloor} are allowed`]
}

function formatMs(value: number | undefined): string {
  if (value === undefined) return '–'
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
}

/** The index of the last measured scale in the series. */
function lastMeasured(series: Series): number {
  return series.findLastIndex((value) => value !== undefined)
}

function formatEach(series: Series, benchCase: BenchCase): string {
  const last = lastMeasured(series)
  return (((series[last] ?? 0) * 1000) / benchCase.count(SCALES[last] ?? 1)).toFixed(2)
}

function formatRatio(series: Series, ours: Series): string {
  const last = lastMeasured(series)
  return `${((series[last] ?? 0) / (ours[last] ?? Infinity)).toFixed(2)}×`
}
