import type { Finding, TrialOptions } from '../trial.ts'
import { longStorePlaces, storePlaces } from '../stores.ts'
import { createKillTally, describeTally } from './judge-killed-run.ts'
import { openMillGroup } from './open-mill-groups.ts'
import { type KillSeries, type PlannedKills, runSeries } from './run-series.ts'
import type { KilledRun } from './run-with-kills.ts'

/** The work on each store. */
export interface SeriesOptions extends Pick<KillSeries, 'plan' | 'toolMs'> {
  readonly what: string
  readonly trial: TrialOptions
  /** Whether each store gets a share of the plan instead of the whole plan. */
  readonly isShared: boolean
}

/** Executes the same work on every store at once; a failure on one ends it on all. */
export async function runOnEachStore({
  what,
  trial,
  isShared,
  ...series
}: SeriesOptions): Promise<Finding[]> {
  const { onProgress } = trial
  const places = (trial.isShort ? storePlaces : longStorePlaces)(trial)
  const failed = new AbortController()
  const signal = AbortSignal.any([trial.signal, failed.signal])
  let done = 0
  let total = 0
  const planFor = (place: number, undisturbed: KilledRun): readonly PlannedKills[] => {
    const planned = [...series.plan(undisturbed)]
    const own = planned.filter((_, index) => !isShared || index % places.length === place)
    total += own.length
    return own
  }
  const onDone = (): void => onProgress(++done, total, 'runs')
  const findings = places.map(async (store, place): Promise<Finding> => {
    const plan: KillSeries['plan'] = (undisturbed) => planFor(place, undisturbed)
    const tally = createKillTally()
    try {
      const open: KillSeries['openMillGroup'] = (options) => openMillGroup(store, options)
      await runSeries({ ...series, plan, openMillGroup: open, signal, onDone }, tally)
    } catch (error) {
      failed.abort(error)
      throw error
    }
    const where = store.servers === 1 ? `${store.where}, restarted` : store.where
    const figures = describeTally(tally)
    return { what, where, figures, bound: '0; each run as without the fault', faults: tally.faults }
  })
  await Promise.allSettled(findings)
  return Promise.all(findings)
}
