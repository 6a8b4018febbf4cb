import { inspect } from 'node:util'
import { openModel } from '../mill/open-model.ts'
import type { MillGroup } from './mill-group.ts'
import { isOfLapse, judgeKilledRun, type KillTally, toUndisturbed } from './judge-killed-run.ts'
import type { OpenGroupOptions } from './open-mill-groups.ts'
import {
  type KillPlan,
  type KilledRun,
  type KilledRunOptions,
  runWithKills,
} from './run-with-kills.ts'

/** One run with its kills, and its name. */
export interface PlannedKills {
  readonly name: string
  readonly plan: KillPlan
}

/** A series of killed runs, with a separate group of servers. */
export interface KillSeries {
  readonly openMillGroup: (options: OpenGroupOptions) => Promise<MillGroup>
  readonly toolMs?: number
  /** Creates the runs with kills from the run without faults. */
  readonly plan: (undisturbed: KilledRun) => Iterable<PlannedKills>
  readonly signal: AbortSignal
  readonly onDone: () => void
}

/** Executes a series to its end, and adds its results to a tally. */
export async function runSeries(series: KillSeries, tally: KillTally): Promise<void> {
  const { openMillGroup, toolMs = 0 } = series
  const model = await openModel()
  try {
    const group = await openMillGroup({ modelUrl: model.url, toolMs })
    try {
      await runPlanned(series, { group, model, signal: series.signal }, tally)
      const complaints = group.complaints().filter((line) => tally.lapses === 0 || !isOfLapse(line))
      tally.faults.push(...complaints.map((line) => `a server logged ${JSON.stringify(line)}`))
    } finally {
      await group.close()
    }
  } finally {
    await model.close()
  }
}

async function runPlanned(
  { plan, signal, onDone }: KillSeries,
  parts: Omit<KilledRunOptions, 'plan'>,
  tally: KillTally,
): Promise<void> {
  const first = await runWithKills({ ...parts, plan: {} })
  const undisturbed = toUndisturbed(first)
  for (const { name, plan: kills } of plan(first)) {
    try {
      const killedRun = await runWithKills({ ...parts, plan: kills })
      judgeKilledRun(tally, killedRun, { name, undisturbed })
      onDone()
    } catch (error) {
      signal.throwIfAborted()
      // The state of the servers is unknown, so later results would be invalid.
      tally.faults.push(`${name} did not end: ${inspect(error)}`)
      return
    }
  }
}
