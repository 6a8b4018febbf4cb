/** Repeatable work. Its return value is used, so that nothing is optimised away. */
export type Work = () => unknown

/** An implementation of the work of a case: ours, the floor, or a peer's. */
export interface Contender {
  readonly name: string
  /** Creates the input for a scale; not measured. */
  prepare(scale: number): Work | Promise<Work>
  /** A note beside the figure, for a peer that does a smaller or larger part of the work. */
  readonly note?: string
}

/** A measured case. */
export interface BenchCase {
  readonly name: string
  readonly job: string
  /** The number of units in one run at a scale, for the cost of each unit. */
  count(scale: number): number
  readonly unit: string
  readonly ours: Contender
  /** The minimum work of any implementation: JSON.parse or JSON.stringify of the same bytes. */
  readonly floor: Contender
  /** The maximum ratio of our cost to the floor; any ratio if absent. */
  readonly maxOfFloor?: number
  readonly peers: readonly Contender[]
}

/** The result of one part of the benchmark. */
export interface CaseReport {
  readonly text: string
  /** The violations of allowed values; empty if there are none. */
  readonly faults: readonly string[]
}

/** The options of a part of the benchmark. */
export interface BenchOptions {
  /** Whether the run may take minutes, with more frames and longer measurements. */
  readonly isLong: boolean
}

/** A named part of the benchmark. */
export interface Bench {
  readonly name: string
  run(onProgress: (message: string) => void, options: BenchOptions): Promise<CaseReport>
}
