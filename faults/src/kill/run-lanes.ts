import type { Finding, TrialOptions } from '../trial.ts'
import { longStorePlaces, storePlaces } from '../stores.ts'
import { createKillTally, describeTally } from './judge-ordeal.ts'
import { openCrew } from './open-crews.ts'
import { type Lane, type PlannedOrdeal, runLane } from './run-lane.ts'
import type { Ordeal } from './run-ordeal.ts'

/** The work on each store. */
export interface LanesOptions extends Pick<Lane, 'plan' | 'toolMs'> {
  readonly what: string
  readonly trial: TrialOptions
  /** Whether each store gets a part of what is planned, in place of all of it. */
  readonly isShared: boolean
}

/** Does the same on every store at once; what fails on one ends it on all. */
export async function runLanes({
  what,
  trial,
  isShared,
  ...lane
}: LanesOptions): Promise<Finding[]> {
  const { onProgress } = trial
  const places = trial.isShort ? storePlaces : longStorePlaces
  const failed = new AbortController()
  const signal = AbortSignal.any([trial.signal, failed.signal])
  let done = 0
  let total = 0
  const planFor = (place: number, undisturbed: Ordeal): readonly PlannedOrdeal[] => {
    const planned = [...lane.plan(undisturbed)]
    const own = planned.filter((_, index) => !isShared || index % places.length === place)
    total += own.length
    return own
  }
  const onDone = (): void => onProgress(++done, total, 'runs')
  const findings = places.map(async (store, place): Promise<Finding> => {
    const plan: Lane['plan'] = (undisturbed) => planFor(place, undisturbed)
    const tally = createKillTally()
    try {
      const open: Lane['openCrew'] = (options) => openCrew(store, options)
      await runLane({ ...lane, plan, openCrew: open, signal, onDone }, tally)
    } catch (error) {
      failed.abort(error)
      throw error
    }
    const where = store.servers === 1 ? `${store.where}, restarted` : store.where
    const figures = describeTally(tally)
    return { what, where, figures, bound: '0; each run as if undisturbed', faults: tally.faults }
  })
  await Promise.allSettled(findings)
  return Promise.all(findings)
}
