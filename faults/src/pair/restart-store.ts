import type { LiveRun, LiveRuns } from './live-runs.ts'
import type { Pair } from './open-pair.ts'
import { rest } from './until.ts'

/** The numbers of kills and of runs. */
export interface RestartOptions {
  readonly pair: Pair
  readonly runs: LiveRuns
  readonly restarts: number
  readonly runsAtOnce: number
  readonly onRestart: (restarts: number) => void
  readonly signal: AbortSignal
}

/** Kills a store repeatedly in the middle of runs; resolves with the number of lost frames that readers had received. */
export async function restartStore(options: RestartOptions): Promise<number> {
  const { pair, runs, restarts, runsAtOnce, onRestart, signal } = options
  let lost = 0
  for (let count = 0; count < restarts; count++) {
    await runs.beginUpTo(runsAtOnce)
    await rest(30 + ((count * 137) % 700), signal)
    await pair.store.crash()
    lost += await countLost(pair, runs)
    await runs.audit()
    onRestart(count + 1)
  }
  await runs.finish()
  return lost
}

/** The frames that a reader has received and the store does not have. */
async function countLost({ store }: Pair, { all }: LiveRuns): Promise<number> {
  // Readers are read first, so that new frames are not mistaken for lost ones.
  const seen = new Map([...all.values()].map((run) => [run.session, lastSeen(run)]))
  const holdings = await store.holdings([...seen.keys()])
  return holdings.reduce(
    (sum, { session, tail }) => sum + Math.max(0, (seen.get(session) ?? 0) - tail),
    0,
  )
}

/** The last id that any reader of a run has received. */
export function lastSeen({ readers }: LiveRun): number {
  return Math.max(...readers.map(({ seen }) => seen().frames.at(-1)?.id ?? 0))
}
