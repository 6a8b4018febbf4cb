import { inParallel } from '../in-parallel.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readLogs } from '../mill/read-logs.ts'
import { withStand } from '../mill/with-stand.ts'
import type { DurableStore } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'
import { judgeLog, judgeRun, toUndisturbed } from './judge-run.ts'
import type { Mistake } from './judge-shown.ts'
import { countRollbacks, toLoggedAgents } from './logged-agents.ts'
import { type FamilyModel, openFamilyModel } from './open-family-model.ts'
import { type Play, type PlayedRun, playRun } from './play-run.ts'
import { createRetryTally, type RetryTally, toRetryFinding } from './retry-tally.ts'
import { createSeeded } from '../seeded.ts'
import { type CountedCall, describeFaults, type PlannedFault } from './planned-fault.ts'

/** Concurrent runs. */
const WIDTH = 6
/** No server may count another as dead, even on a busy machine. */
const LEASE_MS = 60_000
/** A run takes some seconds at most, unless it waits for a missing end. */
const RUN_LIMIT_MS = 60_000

/** The runs on one store. */
export interface FamilyWork {
  readonly store: DurableStore
  readonly where: string
  readonly servers: number
  readonly seed: number
  readonly trial: TrialOptions
  /** The faults of each run, given the number of events of each model call. */
  readonly plan: (calls: readonly CountedCall[]) => readonly (readonly PlannedFault[])[]
}

/** The known facts of a run before its log is read. */
type JudgedRun = Pick<PlayedRun, 'run' | 'session' | 'plannedFaults'> & {
  readonly mistakes: readonly Mistake[]
}

/** The run without faults, and those that are compared with it. */
interface Judged {
  readonly first: PlayedRun
  readonly others: readonly JudgedRun[]
}

/** Executes runs whose model calls fail as planned, and checks the frames of clients and the log. */
export async function runFamily(work: FamilyWork): Promise<Finding> {
  const { store, servers, where, seed } = work
  const model = await openFamilyModel()
  const standing = { store, leaseMs: LEASE_MS, startModel: async () => model }
  return withStand(standing, async ({ startMill, address }) => {
    const mills = await Promise.all(Array.from({ length: servers }, startMill))
    const tally = createRetryTally()
    const judged = await playAll(work, { model, mills, tally })
    // A SQLite file is read after its server has ended.
    for (const mill of mills) await mill.kill()
    await judgeLogs(address, judged, tally)
    return toRetryFinding({ where, seed, tally })
  })
}

interface Playing {
  readonly model: FamilyModel
  readonly mills: readonly Mill[]
  readonly tally: RetryTally
}

/** Executes one run without faults, and then all planned runs. */
async function playAll(
  { seed, trial, plan, where }: FamilyWork,
  { model, mills, tally }: Playing,
): Promise<Judged> {
  const play = (
    run: number,
    plannedFaults: readonly PlannedFault[],
    lengthOf: Play['lengthOf'],
  ) => {
    const signal = AbortSignal.any([trial.signal, AbortSignal.timeout(RUN_LIMIT_MS)])
    const random = createSeeded(seed * 1_000 + run)
    return playRun({ run, plannedFaults, model, mills, random, lengthOf, signal })
  }
  const first = await play(0, [], () => 1)
  const undisturbed = toUndisturbed(first)
  const plans = plan(model.calls())
  const others: JudgedRun[] = []
  await inParallel(plans.entries(), WIDTH, async ([index, plannedFaults]) => {
    const run = index + 1
    try {
      const lengthOf: Play['lengthOf'] = (client) => undisturbed.lengths.get(client) ?? 1
      const played = await play(run, plannedFaults, lengthOf)
      tally.readings += played.readings.length
      for (const { cuts } of played.readings) tally.cuts += cuts
      others.push({
        run,
        session: played.session,
        plannedFaults,
        mistakes: judgeRun(played, undisturbed),
      })
    } catch (error) {
      trial.signal.throwIfAborted()
      tally.add([{ kind: 'endless', text: String(error) }], describeRun(run, plannedFaults))
    }
    tally.runs++
    tally.planned += plannedFaults.reduce((sum, { times }) => sum + times, 0)
    tally.failed += model.failed(run)
    trial.onProgress(tally.runs, plans.length, `runs on ${where}`)
  })
  return { first, others }
}

async function judgeLogs(
  address: string,
  { first, others }: Judged,
  tally: RetryTally,
): Promise<void> {
  const sessions = [first, ...others].map(({ session }) => session)
  const logs = await readLogs(address, sessions)
  const undisturbed = toLoggedAgents(logs.get(first.session) ?? [], first.session)
  for (const judged of others) {
    const log = logs.get(judged.session) ?? []
    tally.rollbacks += countRollbacks(log)
    const mistakes = [...judged.mistakes, ...judgeLog(judged, log, undisturbed)]
    tally.add(mistakes, describeRun(judged.run, judged.plannedFaults))
  }
}

function describeRun(run: number, plannedFaults: readonly PlannedFault[]): string {
  return `run ${run}, ${describeFaults(plannedFaults)}`
}
