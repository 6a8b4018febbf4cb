import { inspect } from 'node:util'
import { openModel } from '../mill/open-model.ts'
import type { Crew } from './crew.ts'
import { isOfLapse, judgeOrdeal, type KillTally, toUndisturbed } from './judge-ordeal.ts'
import type { OpenCrewOptions } from './open-crews.ts'
import { type KillPlan, type Ordeal, type OrdealOptions, runOrdeal } from './run-ordeal.ts'

/** One run with its kills, and its name. */
export interface PlannedOrdeal {
  readonly name: string
  readonly plan: KillPlan
}

/** A sequence of work with a separate crew. */
export interface Lane {
  readonly openCrew: (options: OpenCrewOptions) => Promise<Crew>
  readonly toolMs?: number
  /** Creates the runs with kills from the run without faults. */
  readonly plan: (undisturbed: Ordeal) => Iterable<PlannedOrdeal>
  readonly signal: AbortSignal
  readonly onDone: () => void
}

/** Executes a lane to its end, and adds its results to a tally. */
export async function runLane(lane: Lane, tally: KillTally): Promise<void> {
  const { openCrew, toolMs = 0 } = lane
  const model = await openModel()
  try {
    const crew = await openCrew({ modelUrl: model.url, toolMs })
    try {
      await runPlanned(lane, { crew, model, signal: lane.signal }, tally)
      const complaints = crew.complaints().filter((line) => tally.lapses === 0 || !isOfLapse(line))
      tally.faults.push(...complaints.map((line) => `a server said ${JSON.stringify(line)}`))
    } finally {
      await crew.close()
    }
  } finally {
    await model.close()
  }
}

async function runPlanned(
  { plan, signal, onDone }: Lane,
  parts: Omit<OrdealOptions, 'plan'>,
  tally: KillTally,
): Promise<void> {
  const first = await runOrdeal({ ...parts, plan: {} })
  const undisturbed = toUndisturbed(first)
  for (const { name, plan: kills } of plan(first)) {
    try {
      const ordeal = await runOrdeal({ ...parts, plan: kills })
      judgeOrdeal(tally, ordeal, { name, undisturbed })
      onDone()
    } catch (error) {
      signal.throwIfAborted()
      // The state of the servers is unknown, so later results would be invalid.
      tally.faults.push(`${name} did not come to its end: ${inspect(error)}`)
      return
    }
  }
}
