import type { Verdict } from '../judge.ts'
import type { TakenSample } from '../sample.ts'

/** The outcome of soaking one configuration on one Node. */
export interface Outcome {
  readonly configuration: string
  readonly node: string
  readonly samples: readonly TakenSample[]
  /** Absent if the soak failed to run. */
  readonly verdict?: Verdict
  readonly faults: readonly string[]
}

/** Bytes in megabytes, with two decimals. */
export const toMegabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(2)

/** The last counts of a server: sockets, timers, file descriptors, and all other resources together. */
export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const { TCPSocketWrap: sockets = 0, Timeout: timers = 0, descriptors, ...rest } = counts
  const others = Object.values(rest).reduce((sum, count) => sum + count, 0)
  const files = descriptors === undefined ? '' : `, descriptors ${descriptors}`
  return `sockets ${sockets}, timers ${timers}, other handles ${others}${files}`
}
