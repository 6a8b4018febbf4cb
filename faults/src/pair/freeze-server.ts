import type { LiveRuns } from './live-runs.ts'
import type { MarkedMill, Pair } from './open-pair.ts'
import { rest, until } from './until.ts'

/** The frozen server, and the time until its runs are taken over. */
export interface FreezeOptions {
  readonly pair: Pair
  readonly runs: LiveRuns
  readonly frozen: MarkedMill
  readonly lingerMs: number
  readonly signal: AbortSignal
}

/** The result of one freeze. */
export interface Freeze {
  readonly takeOvers: number
  /** The time until the first and the last of its runs were taken over. */
  readonly takenMs: readonly [number, number]
  /** The time in which it detected all of its losses after it was resumed. */
  readonly noticedMs: number
  /** Model calls that it passed to `fetch` after it was resumed, for runs that it had lost. */
  readonly billed: number
  /** Model calls that it had passed to `fetch` before, and that left the process only after it was resumed. */
  readonly inFlight: number
  readonly faults: readonly string[]
}

const SETTLE_MS = 60
const LIMIT_MS = 15_000

/** Stops a server until another has taken over its runs, and then resumes it. */
export async function freezeServer(options: FreezeOptions): Promise<Freeze> {
  const { pair, frozen, lingerMs, signal } = options
  const logged = frozen.logged.length
  const stoppedAt = performance.now()
  frozen.signal('SIGSTOP')
  try {
    // Data that it had already sent arrives.
    await rest(SETTLE_MS, signal)
    const held = await heldBy(frozen, pair, [...options.runs.all.keys()])
    const faults: string[] = []
    const takenMs = await awaitTakeOvers(options, held, stoppedAt, faults)
    await rest(lingerMs, signal)
    // The model was never frozen: it has received all requests that had left the process before.
    const wokenAt = process.hrtime.bigint()
    frozen.signal('SIGCONT')
    const noticedMs = await awaitNotices(options, [...held.keys()], logged, faults)
    const late = frozen.modelCalls.filter(({ receivedAt }) => receivedAt >= wokenAt)
    const inFlight = late.filter(({ sentAt }) => sentAt !== undefined && sentAt < wokenAt).length
    const billed = late.length - inFlight
    // One operation runs at a time, so at most one run can be between its check and its request.
    if (billed > 1) faults.push(`${billed} model calls started for runs that a server had lost`)
    if (inFlight > held.size) faults.push(`${inFlight} model calls in flight for ${held.size} runs`)
    return { takeOvers: held.size, takenMs, noticedMs, billed, inFlight, faults }
  } finally {
    frozen.signal('SIGCONT')
  }
}

/** The sessions that a server holds, with their epochs. */
async function heldBy(
  { pid }: MarkedMill,
  { store }: Pair,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const holdings = await store.holdings(sessions)
  const held = holdings.filter((holding) => holding.pid === pid)
  return new Map(held.map(({ session, epoch }) => [session, epoch]))
}

async function awaitTakeOvers(
  { pair, runs, signal }: FreezeOptions,
  held: ReadonlyMap<string, number>,
  stoppedAt: number,
  faults: string[],
): Promise<readonly [number, number]> {
  const left = new Map(held)
  let firstMs: number | undefined
  let lastMs = 0
  const areTaken = async (): Promise<boolean> => {
    for (const { session, epoch } of await pair.store.holdings([...left.keys()])) {
      if (epoch === left.get(session)) continue
      left.delete(session)
      const run = runs.all.get(session)
      if (run !== undefined) run.takeOvers++
      lastMs = performance.now() - stoppedAt
      firstMs ??= lastMs
    }
    return left.size === 0
  }
  if (!(await until(areTaken, { limitMs: LIMIT_MS, signal }))) {
    for (const session of left.keys()) faults.push(`${session}: it was not taken over`)
  }
  return [firstMs ?? 0, lastMs]
}

/** Waits until a resumed server has logged the loss of the run of each session. */
async function awaitNotices(
  { frozen, signal }: FreezeOptions,
  sessions: readonly string[],
  logged: number,
  faults: string[],
): Promise<number> {
  const wokenAt = performance.now()
  const unaware = (): string[] => {
    const lines = frozen.logged.slice(logged)
    const lost = lines.filter(
      ({ event, stop_reason: why }) => event === 'run_ended' && why === 'lost',
    )
    const aware = new Set(lost.map(({ session }) => session))
    return sessions.filter((session) => !aware.has(session))
  }
  const limit = { limitMs: LIMIT_MS, signal }
  if (!(await until(() => unaware().length === 0, limit)))
    for (const session of unaware()) faults.push(`${session}: its server did not detect the loss`)
  return performance.now() - wokenAt
}
