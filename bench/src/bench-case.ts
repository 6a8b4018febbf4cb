/** Work that can be repeated; what it returns is used, so that nothing is optimised away. */
export type Work = () => unknown

/** One way of doing the job of a case: ours, the floor beneath it, or a peer's. */
export interface Contender {
  readonly name: string
  /** Makes the input for a scale, outside what is measured. */
  prepare(scale: number): Work | Promise<Work>
  /** Shown beside the figure, where a peer does less or more of the job. */
  readonly note?: string
}

/** One thing that is measured. */
export interface BenchCase {
  readonly name: string
  readonly job: string
  /** How many units one run has at a scale, to show a cost for each. */
  count(scale: number): number
  readonly unit: string
  readonly ours: Contender
  /** The minimum work of any implementation: JSON.parse or JSON.stringify of the same bytes. */
  readonly floor: Contender
  /** How many times the cost of the floor ours may be; any if absent. */
  readonly maxOfFloor?: number
  readonly peers: readonly Contender[]
}

/** The result of one part of the benchmark. */
export interface CaseReport {
  readonly text: string
  /** The violations of allowed values; empty if there are none. */
  readonly faults: readonly string[]
}

/** How a part of the benchmark is run. */
export interface BenchOptions {
  /** Whether there is time for all of it: more messages, for longer. */
  readonly isLong: boolean
}

/** A part of the benchmark that can be asked for by name. */
export interface Bench {
  readonly name: string
  run(onProgress: (message: string) => void, options: BenchOptions): Promise<CaseReport>
}
