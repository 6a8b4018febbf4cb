import type { TrialOptions } from '../trial.ts'
import { createLiveRuns, type LiveRuns } from './live-runs.ts'
import { openPair, type Pair, type PairOptions } from './open-pair.ts'
import type { PairStore } from './pair-store.ts'

/** Servers with runs, for as long as they are used. */
export interface UsedPair<Store extends PairStore> {
  readonly pair: Pair<Store>
  readonly runs: LiveRuns
  readonly runsAtOnce: number
  readonly signal: AbortSignal
}

/** Longer than any outage of the store: no server is superseded. */
const LEASE_MS = 10_000

/** Opens servers on one store, calls the work with them, and always closes everything. */
export async function withLiveRuns<Store extends PairStore, Result>(
  given: Pick<PairOptions<Store>, 'openStore' | 'servers'>,
  { isShort, signal: outer }: TrialOptions,
  use: (used: UsedPair<Store>) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const signal = AbortSignal.any([outer, ending.signal])
  const tokensPerSecond = isShort ? 600 : 150
  const pair = await openPair({ ...given, leaseMs: LEASE_MS, tokensPerSecond, signal })
  try {
    const runs = await createLiveRuns(pair, signal)
    return await use({ pair, runs, runsAtOnce: isShort ? 4 : 10, signal })
  } finally {
    ending.abort(new Error('The trial is over.'))
    await pair.close()
  }
}
