import { post } from '../mill/ask.ts'
import { findDifferences } from './audit-run.ts'
import { isOver, type LiveRun } from './live-runs.ts'
import type { Pair } from './open-pair.ts'
import { lastSeen, type RestartOptions } from './restart-store.ts'
import { rest, until } from './until.ts'

/** The result of losses. */
export interface Losses {
  /** The runs that lost data. */
  readonly lostRuns: number
  /** The lost frames that readers had received. */
  readonly lostMessages: number
  /** Readers of those runs that had not read them completely, and the number of those that received an error. */
  readonly readers: number
  readonly notifiedReaders: number
  /** Frames that a reader has received and that differ from the remaining ones under their ids. */
  readonly renumbered: number
  readonly faults: readonly string[]
}

const NOTICE_LIMIT_MS = 20_000

/** The repeated operation on a store. */
export interface LossOptions extends RestartOptions {
  /** Called before runs start, with the number of earlier calls; returns the function that makes the store lose data. */
  readonly prepareLoss: (count: number) => Promise<() => Promise<void>>
}

/**
 * Makes a store lose data repeatedly in the middle of runs, and examines the reaction of the
 * servers.
 */
export async function watchLosses(options: LossOptions): Promise<Losses> {
  const { prepareLoss, runs, restarts, runsAtOnce, onRestart, signal } = options
  const faults: string[] = []
  const losses: Loss[] = []
  for (let count = 0; count < restarts; count++) {
    const lose = await prepareLoss(count)
    await runs.beginUpTo(runsAtOnce)
    await rest(150 + ((count * 137) % 700), signal)
    await lose()
    for (const run of await awaitNotices(options, faults)) {
      const loss = await auditLost(options, run)
      losses.push(loss)
      faults.push(...loss.wrong.map((what) => `${run.session}: ${what}`))
      runs.drop(run)
    }
    await runs.finish()
    onRestart(count + 1)
  }
  const sum = (count: (loss: Loss) => number): number =>
    losses.reduce((total, loss) => total + count(loss), 0)
  const lostMessages = sum(({ messages }) => messages)
  return {
    lostRuns: losses.length,
    lostMessages,
    readers: sum(({ readers }) => readers),
    notifiedReaders: sum(({ notifiedReaders }) => notifiedReaders),
    renumbered: sum(({ renumbered }) => renumbered),
    faults,
  }
}

/** The lost data of one run. */
interface Loss {
  readonly messages: number
  readonly readers: number
  readonly notifiedReaders: number
  readonly renumbered: number
  readonly wrong: readonly string[]
}

/**
 * Waits until each run has ended or is closed, and all readers of closed ones have received an
 * error.
 */
async function awaitNotices(
  { pair, runs, signal }: RestartOptions,
  faults: string[],
): Promise<readonly LiveRun[]> {
  let lost: LiveRun[] = []
  let left: LiveRun[] = []
  const areSettled = async (): Promise<boolean> => {
    const holdings = await pair.store.holdings([...runs.all.keys()])
    const gone = holdings.filter(({ isLost, epoch }) => isLost || Number.isNaN(epoch))
    const closed = new Set(gone.map(({ session }) => session))
    const all = [...runs.all.values()]
    lost = all.filter(({ session }) => closed.has(session))
    const tails = new Map(holdings.map(({ session, tail }) => [session, tail]))
    const others = all.filter(({ session }) => !closed.has(session))
    // Data that readers have and Redis does not have is an undetected loss.
    const isWhole = (run: LiveRun): boolean => lastSeen(run) <= (tails.get(run.session) ?? 0)
    left = [
      ...lost.filter((run) => readersOf(run).some(({ isNotified }) => !isNotified)),
      ...others.filter((run) => !isOver(run) || !isWhole(run)),
    ]
    return left.length === 0
  }
  if (await until(areSettled, { limitMs: NOTICE_LIMIT_MS, signal })) return lost
  for (const run of left) {
    const received = run.refusals.map(({ status, text }) => `${status} ${text}`)
    const readers = run.readers.map(({ seen }) => seen())
    const stand = readers.map(({ frames, connections }) => `${frames.at(-1)?.id} in ${connections}`)
    const what = lost.includes(run)
      ? 'a loss was not reported to all readers'
      : 'it neither ended nor was closed'
    const last = received.slice(-2).join(' | ')
    faults.push(`${run.session}: ${what}; readers at ${stand.join(' and ')}; answered: ${last}`)
  }
  return lost
}

/** The readers that had not read a run completely, and whether they received an error. */
function readersOf({ refusals, readers }: LiveRun): { readonly isNotified: boolean }[] {
  return readers.flatMap(({ seen }, place) => {
    if (seen().isDone) return []
    const received = refusals.filter(({ reader }) => reader === place)
    return [{ isNotified: received.some(({ status, text }) => isTruncated(status, text)) }]
  })
}

function isTruncated(status: number, text: string): boolean {
  // A run that began after the last save has no remaining data.
  return status === 404 || (status === 410 && text.includes('log_truncated'))
}

/** Examines a run that lost data: the remaining data is unchanged, and nothing is added to it. */
async function auditLost({ pair }: RestartOptions, run: LiveRun): Promise<Loss> {
  const { session, readers } = run
  const { lines, tail: storedTail } = await pair.store.log(session)
  // A run that began after the last save has no remaining data; a prompt there starts another log, as in `incarnations`.
  const isMissing = Number.isNaN(storedTail)
  const tail = isMissing ? 0 : storedTail
  const differences = readers.flatMap(({ seen }) => {
    const { frames } = seen()
    const left = findDifferences({ ...seen(), frames: frames.slice(0, tail) }, lines)
    const beyond = frames.slice(tail).filter(({ id }, index) => id !== tail + index + 1)
    return [...left, ...beyond.map(({ id }) => `a reader received ${id} out of order`)]
  })
  const received = readersOf(run)
  return {
    messages: Math.max(0, lastSeen(run) - tail),
    readers: received.length,
    notifiedReaders: received.filter(({ isNotified }) => isNotified).length,
    renumbered: differences.filter((what) => what.startsWith('a reader received')).length,
    wrong: [...differences, ...(isMissing ? [] : await findOpenDoors(pair, session))],
  }
}

/** The responses of servers to a prompt in a closed session, if they differ from that error. */
async function findOpenDoors({ mills }: Pair, session: string): Promise<string[]> {
  const wrong: string[] = []
  for (const mill of mills) {
    const body = { agent_uuid: session, user_prompt: 'grind on' }
    const response = await post(mill, '/agent/run', body)
    const text = await response.text()
    if (!isTruncated(response.status, text))
      wrong.push(`a question there is answered ${response.status} ${text.slice(0, 200)}`)
  }
  return wrong
}
