import { createBoundaryFinder } from '../kill/boundaries.ts'
import type { PlannedKills } from '../kill/run-series.ts'
import { runOnEachStore } from '../kill/run-on-each-store.ts'
import type { KillPlan, KilledRun } from '../kill/run-with-kills.ts'
import type { Trial } from '../trial.ts'

/** Long enough to be killed in the middle of a tool. */
const TOOL_MS = 15
const SHORT_BOUNDARIES = 7

/** Kills the server when a reader receives one boundary. */
function planAt(boundary: string, isReadElsewhere: boolean): KillPlan {
  const finder = createBoundaryFinder()
  return {
    isReadElsewhere,
    isDue: ({ data }, { kills }) => finder.take(data) === boundary && kills === 0,
  }
}

/** Kills a server at each boundary, all in one run. */
function planAtAll(boundaries: readonly string[]): KillPlan {
  const finder = createBoundaryFinder()
  const left = new Set(boundaries)
  return {
    isDue: ({ id, data }, { since, isDying }) => {
      const boundary = finder.take(data)
      return !isDying && id > since && boundary !== undefined && left.delete(boundary)
    },
  }
}

function boundariesOf({ log }: KilledRun): readonly string[] {
  const finder = createBoundaryFinder()
  return log.flatMap((line) => finder.take(line) ?? [])
}

function* planBoundaries(undisturbed: KilledRun, isShort: boolean): Iterable<PlannedKills> {
  const all = boundariesOf(undisturbed)
  // A number that shares no factor with those of a step covers each kind.
  const every = isShort ? Math.ceil(all.length / SHORT_BOUNDARIES) : 1
  for (let index = 0; index < all.length; index += every) {
    const boundary = all[index] ?? ''
    yield { name: boundary, plan: planAt(boundary, index % 2 === 1) }
  }
  if (!isShort) yield { name: 'each boundary in turn', plan: planAtAll(all) }
}

/** Servers that are killed at the boundaries of a run. */
export const killSteps: Trial = {
  name: 'kill-steps',
  summary: 'kill -9 at every step boundary',
  run: (trial) =>
    runOnEachStore({
      what: `kill -9 at ${trial.isShort ? 'some boundaries' : 'each boundary'} of steps, blocks and tools`,
      trial,
      isShared: trial.isShort,
      toolMs: TOOL_MS,
      plan: (undisturbed) => planBoundaries(undisturbed, trial.isShort),
    }),
}
