import { type FamilyWork, runFamily } from '../retries/run-family.ts'
import { chooseSeed, createSeeded } from '../seeded.ts'
import {
  type CountedCall,
  listFaults,
  pickFaults,
  type PlannedFault,
} from '../retries/planned-fault.ts'
import { onEachPlace } from '../stores.ts'
import type { Trial } from '../trial.ts'

/** Runs with faults of several agents. */
const COMBINED = 80
const SHORT_SINGLE = 16
const SHORT_COMBINED = 5

/** One fault at each event of each model call, then several at once; the short form uses a part of both. */
function planRuns(calls: readonly CountedCall[], seed: number, isShort: boolean) {
  const random = createSeeded(seed)
  const single = listFaults(calls).map((plannedFault): readonly PlannedFault[] => [plannedFault])
  const chosen = isShort ? random.shuffle(single).slice(0, SHORT_SINGLE) : single
  const count = isShort ? SHORT_COMBINED : COMBINED
  return [...chosen, ...Array.from({ length: count }, () => pickFaults(calls, random))]
}

/** Model calls that fail and are retried, in runs with sub-agents, read by the clients of the seeds. */
export const retries: Trial = {
  name: 'retries',
  summary: 'model calls retried at every event of runs with sub-agents',
  run: async (trial) => {
    const seed = chooseSeed()
    const plan: FamilyWork['plan'] = (calls) => planRuns(calls, seed, trial.isShort)
    const work = { seed, trial, plan }
    return onEachPlace(trial, ({ store, where, servers }) =>
      runFamily({ ...work, store, where, servers }),
    )
  },
}
