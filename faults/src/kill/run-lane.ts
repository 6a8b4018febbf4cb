import { openModel } from '../mill/open-model.ts'
import type { Crew } from './crew.ts'
import { judgeOrdeal, type KillTally, toUndisturbed, type Undisturbed } from './judge-ordeal.ts'
import type { OpenCrewOptions } from './open-crews.ts'
import { type KillPlan, type Ordeal, runOrdeal } from './run-ordeal.ts'

/** One run with its kills, and what it is called. */
export interface PlannedOrdeal {
  readonly name: string
  readonly plan: KillPlan
}

/** What is done one after the other by a crew of its own. */
export interface Lane {
  readonly openCrew: (options: OpenCrewOptions) => Promise<Crew>
  readonly toolMs?: number
  /** Told the run that nothing happens to, gives those with kills. */
  readonly plan: (undisturbed: Ordeal) => Iterable<PlannedOrdeal>
  readonly signal: AbortSignal
  readonly onDone: () => void
}

/** Runs a lane to its end, and adds what it shows to a tally. */
export async function runLane(
  { openCrew, toolMs = 0, plan, signal, onDone }: Lane,
  tally: KillTally,
): Promise<void> {
  const model = await openModel()
  try {
    const crew = await openCrew({ modelUrl: model.url, toolMs })
    try {
      const first = await runOrdeal({ crew, model, plan: {}, signal })
      const undisturbed: Undisturbed = toUndisturbed(first)
      for (const { name, plan: kills } of plan(first)) {
        const ordeal = await runOrdeal({ crew, model, plan: kills, signal }).catch((cause) => {
          throw new Error(`${name} did not come to its end.`, { cause })
        })
        judgeOrdeal(tally, ordeal, { name, undisturbed })
        onDone()
      }
    } finally {
      await crew.close()
    }
  } finally {
    await model.close()
  }
}
