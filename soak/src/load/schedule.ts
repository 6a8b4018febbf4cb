import { type Workload, workloads } from './workloads.ts'

/** A planned run. */
export interface ScheduledRun {
  /** Chooses a variant of the workload. */
  readonly number: number
  readonly workload: Workload
}

/** The order of the workloads. */
export interface Schedule {
  /** Every variant of every workload once, for a new server. */
  readonly tour: () => readonly ScheduledRun[]
  /** The next runs; any hundred of them have the same mixture. */
  readonly next: (count: number) => readonly ScheduledRun[]
}

/** The largest number of variants of a workload. */
const VARIANTS = 6

/** Spreads the workloads evenly by their shares. */
export function createSchedule(): Schedule {
  const states = workloads.map((workload) => ({ workload, credit: 0, number: 0 }))
  const total = workloads.reduce((sum, { share }) => sum + share, 0)
  /** The workload that is farthest behind its share. */
  const choose = (): ScheduledRun => {
    for (const state of states) state.credit += state.workload.share
    const chosen = states.reduce((one, other) => (other.credit > one.credit ? other : one))
    chosen.credit -= total
    return { workload: chosen.workload, number: chosen.number++ }
  }
  return {
    tour: () =>
      Array.from({ length: VARIANTS }, (_, number) => number).flatMap((number) =>
        workloads.map((workload) => ({ workload, number })),
      ),
    next: (count) => Array.from({ length: count }, choose),
  }
}
