import { type Freeze, freezeServer } from './freeze-server.ts'
import { createLiveRuns, type LiveRuns } from './live-runs.ts'
import { openPair, type Pair, type PairOptions } from './open-pair.ts'
import { rest } from './until.ts'

/** The numbers of freezes and of runs. */
export interface FreezeInTurnOptions extends PairOptions {
  readonly leaseMs: number
  readonly minFreezes: number
  readonly minTakeOvers: number
  /** Current runs when a server is frozen, except runs that end at that moment. */
  readonly runsAtOnce: number
  readonly onFreeze: (takeOvers: number, freezes: number) => void
}

/** The result of freezing servers in turn. */
export interface FrozenInTurn {
  readonly freezes: number
  readonly takeOvers: number
  readonly runs: number
  readonly good: number
  readonly messages: number
  readonly zombies: number
  readonly supersessions: number
  /** Model calls that servers started for runs that they had lost. */
  readonly billed: number
  /** Model calls that were started before a freeze and left the process after it. */
  readonly inFlight: number
  /** The longest time in which a resumed server detected all of its losses. */
  readonly noticedMs: number
  /** The shortest and the longest time until a run was taken over. */
  readonly takenMs: readonly [number, number]
  readonly faults: readonly string[]
}

/** Freezes servers in turn, each with all current runs, until there were enough take-overs. */
export async function freezeInTurn(options: FreezeInTurnOptions): Promise<FrozenInTurn> {
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  const pair = await openPair({ ...options, signal })
  try {
    const runs = await createLiveRuns(pair, signal)
    await leaveAlone(pair, runs, options.runsAtOnce)
    const freezes = await freezeOften(pair, runs, { ...options, signal })
    await runs.finish()
    const { faults, ...counts } = runs.counts()
    const times = freezes.filter(({ takeOvers }) => takeOvers > 0)
    return {
      ...counts,
      freezes: freezes.length,
      billed: freezes.reduce((sum, { billed }) => sum + billed, 0),
      inFlight: freezes.reduce((sum, { inFlight }) => sum + inFlight, 0),
      takeOvers: freezes.reduce((sum, { takeOvers }) => sum + takeOvers, 0),
      noticedMs: Math.max(...times.map(({ noticedMs }) => noticedMs)),
      takenMs: [
        Math.min(...times.map(({ takenMs }) => takenMs[0])),
        Math.max(...times.map(({ takenMs }) => takenMs[1])),
      ],
      faults: [...freezes.flatMap((freeze) => freeze.faults), ...faults],
    }
  } finally {
    ending.abort(new Error('The trial is over.'))
    await pair.close()
  }
}

/** A freeze during active runs causes several take-overs. */
const FREEZES_PER_TAKE_OVER = 5

/** Keeps all servers running for longer than a lease: no healthy server is superseded. */
async function leaveAlone({ mills }: Pair, runs: LiveRuns, runsAtOnce: number): Promise<void> {
  for (let count = 0; count < runsAtOnce; count++)
    await runs.begin(mills[count % mills.length] ?? mills[0])
  await runs.finish()
}

async function freezeOften(
  pair: Pair,
  runs: LiveRuns,
  options: FreezeInTurnOptions,
): Promise<readonly Freeze[]> {
  const { minFreezes, minTakeOvers, runsAtOnce, onFreeze, signal } = options
  const { mills } = pair
  const done: Freeze[] = []
  let takeOvers = 0
  while (done.length < minFreezes || takeOvers < minTakeOvers) {
    const frozen = mills[done.length % mills.length] ?? mills[0]
    // The active ones are already here, taken over when another server was frozen.
    while (runs.all.size < runsAtOnce) await runs.begin(frozen)
    // At any point of a run, and of the period of a lease.
    await rest(50 + ((done.length * 137) % 800), signal)
    const lingerMs = (done.length * 53) % 300
    const freeze = await freezeServer({ pair, runs, frozen, lingerMs, signal })
    done.push(freeze)
    takeOvers += freeze.takeOvers
    await runs.audit()
    onFreeze(takeOvers, done.length)
    if (done.length > minFreezes + FREEZES_PER_TAKE_OVER * minTakeOvers)
      throw new Error(`Only ${takeOvers} runs were taken over in ${done.length} freezes.`)
  }
  return done
}
