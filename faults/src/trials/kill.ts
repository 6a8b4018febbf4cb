import type { PlannedKills } from '../kill/run-series.ts'
import { runOnEachStore } from '../kill/run-on-each-store.ts'
import type { KillPlan } from '../kill/run-with-kills.ts'
import type { Trial } from '../trial.ts'

const MOST = 200
/** The first frames, the end of the first step and its tools, the middle of steps, the last frames; in rotation for each store. */
const few = [1, 2, 48, 47, 51, 53, 98, 200]
const all = Array.from({ length: MOST }, (_, index) => index + 1)

/** Kills a server from inside once a frame is stored, in turn with a kill from outside once a reader has received it. */
function planKill(k: number): KillPlan {
  const isReadElsewhere = k % 4 >= 2
  if (k % 2 === 1) return { isReadElsewhere, afterStored: k }
  return { isReadElsewhere, isDue: ({ id }, { kills, since }) => kills < 2 && id >= since + k }
}

function* planKills(isShort: boolean): Iterable<PlannedKills> {
  for (const k of isShort ? few : all) yield { name: `k = ${k}`, plan: planKill(k) }
}

/** Servers that are killed after any number of frames, and again after as many more. */
export const kill: Trial = {
  name: 'kill',
  summary: 'kill -9 at every k-th message, and again',
  run: (trial) => {
    const what = `kill -9 after k messages and after k more, ${trial.isShort ? 'some k of' : 'k ='} 1…${MOST}`
    return runOnEachStore({
      what,
      trial,
      isShared: trial.isShort,
      plan: () => planKills(trial.isShort),
    })
  },
}
