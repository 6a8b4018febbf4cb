import type { TakenSample } from './sample.ts'

/** Maximum growth of memory for each run, in bytes. */
export const ALLOWED_BYTES = 1_024

/** The share of the runs that warms a server up: code is compiled, pools and caches fill. */
const WARM_UP = 0.25

/** The growth of a server. */
export interface Verdict {
  /** Heap and external memory that each run adds, in bytes. */
  readonly bytesPerRun: number
  /** Memory at the first and the last sample after the warm-up. */
  readonly firstBytes: number
  readonly lastBytes: number
  /** Counts of the last sample. */
  readonly counts: Readonly<Record<string, number>>
  /** The reasons why the server fails; none if it does not grow. */
  readonly faults: readonly string[]
}

/** The judged memory: the heap, and the external memory of its objects. */
export function memoryOf({ heapUsed, external }: TakenSample): number {
  return heapUsed + external
}

/** The samples after the warm-up. */
export function withoutWarmUp(samples: readonly TakenSample[]): readonly TakenSample[] {
  const runs = samples.at(-1)?.runs ?? 0
  return samples.filter((sample) => sample.runs >= runs * WARM_UP)
}

/** Judges whether a server has grown from run to run. */
export function judge(samples: readonly TakenSample[]): Verdict {
  const judged = withoutWarmUp(samples)
  const [first] = judged
  const last = judged.at(-1)
  if (first === undefined || last === undefined || judged.length < 4) {
    throw new Error(
      `${judged.length} samples after the warm-up are too few; at least 4 are needed.`,
    )
  }
  const bytesPerRun = slopeOf(judged.map((sample) => [sample.runs, memoryOf(sample)] as const))
  const memoryFaults =
    bytesPerRun > ALLOWED_BYTES
      ? [`memory grows by ${Math.round(bytesPerRun)} bytes a run, more than ${ALLOWED_BYTES}`]
      : []
  return {
    bytesPerRun,
    firstBytes: memoryOf(first),
    lastBytes: memoryOf(last),
    counts: last.counts,
    faults: [...memoryFaults, ...findRisingCounts(judged)],
  }
}

/** The slope of a line through points: the median of the slopes between all pairs (Theil–Sen), which one outlier does not change. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)),
  )
  slopes.sort((one, other) => one - other)
  const middle = slopes.length / 2
  return ((slopes[Math.ceil(middle) - 1] ?? NaN) + (slopes[Math.floor(middle)] ?? NaN)) / 2
}

/**
 * Finds counts that rise from the first third of the samples to the second, and again to the last. A count that rises and falls, or that
 * rises once, is no growth.
 */
function findRisingCounts(samples: readonly TakenSample[]): string[] {
  // Of four samples the last third would be empty.
  if (samples.length < 5) return []
  const size = Math.ceil(samples.length / 3)
  const kinds = new Set(samples.flatMap(({ counts }) => Object.keys(counts)))
  return [...kinds].flatMap((kind) => {
    const counts = samples.map((sample) => sample.counts[kind] ?? 0)
    const [first, second, last] = [0, 1, 2].map((third) => {
      const part = counts.slice(third * size, (third + 1) * size)
      return { least: Math.min(...part), most: Math.max(...part) }
    })
    if (first === undefined || second === undefined || last === undefined) return []
    const isRising = second.least > first.most && last.least > second.most
    return isRising ? [`${kind} rose from at most ${first.most} to at least ${last.least}`] : []
  })
}
