import { ask } from '../mill/ask.ts'
import { type Follower, followSession } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import { auditRun, describeOutcome } from './audit-run.ts'
import type { MarkedMill, Pair } from './open-pair.ts'
import { until } from './until.ts'

/** A current run, with a reader at each server. */
export interface LiveRun {
  readonly session: string
  /** The mark of the server that started it. */
  readonly mark: string
  /** The number of take-overs from frozen servers. */
  takeOvers: number
  readonly readers: readonly Follower[]
  /** The errors of readers that could not reconnect. */
  readonly refusals: readonly Refusal[]
  /** Disconnects its readers. */
  readonly leave: () => void
}

/** An error response to a reader. */
export interface Refusal {
  /** The reader that received the error. */
  readonly reader: number
  readonly status: number
  readonly text: string
}

/** The runs of a trial, which are examined when they have ended. */
export interface LiveRuns {
  readonly all: ReadonlyMap<string, LiveRun>
  /** Starts a run at a server. */
  begin(mill: MarkedMill): Promise<LiveRun>
  /** Starts runs at the servers in turn up to this number. */
  beginUpTo(count: number): Promise<void>
  /** Compares ended runs with the reference. */
  audit(): Promise<void>
  /** Removes a run. */
  drop(run: LiveRun): void
  /** Waits for the end of all runs, and compares them. */
  finish(): Promise<void>
  readonly counts: () => LiveCounts
}

/** The states of the runs so far. */
export interface LiveCounts {
  readonly runs: number
  /** Runs that ended as without a fault. */
  readonly good: number
  readonly messages: number
  /** Frames of servers that had already lost the run. */
  readonly zombies: number
  /** Take-overs from servers that were not frozen. */
  readonly supersessions: number
  readonly faults: readonly string[]
}

const PROMPT = 'grind it all'
const END_LIMIT_MS = 60_000

/** Creates the runs of a pair; the first has no faults and is the reference. */
export async function createLiveRuns(pair: Pair, signal: AbortSignal): Promise<LiveRuns> {
  const { store, mills } = pair
  const all = new Map<string, LiveRun>()
  const faults: string[] = []
  let runs = 0
  let good = 0
  let messages = 0
  let zombies = 0
  let supersessions = 0

  const begin = async (mill: MarkedMill): Promise<LiveRun> => {
    const session = await ask(mill, PROMPT)
    const run = { ...watch(mills, session, signal), mark: mill.mark, takeOvers: 0 }
    all.set(session, run)
    return run
  }

  const beginUpTo = async (count: number): Promise<void> => {
    while (all.size < count) await begin(mills[all.size % mills.length] ?? mills[0])
  }

  const drop = ({ session, leave }: LiveRun): void => {
    leave()
    all.delete(session)
  }

  const undisturbed = await begin(mills[0])
  const limit = { limitMs: END_LIMIT_MS, signal }
  if (!(await until(() => isOver(undisturbed), limit))) throw new Error('A run does not end.')
  const outcome = describeOutcome((await store.log(undisturbed.session)).lines)

  const audit = async (): Promise<void> => {
    for (const run of [...all.values()].filter(isOver)) {
      const { session, mark, takeOvers, readers } = run
      drop(run)
      const log = await store.log(session)
      const seen = readers.map((reader) => reader.seen())
      const found = auditRun({ log, readers: seen, mark, takeOvers, outcome })
      faults.push(...found.faults)
      zombies += found.zombies
      supersessions += found.supersessions
      runs++
      if (found.faults.length === 0) good++
      messages += log.tail
    }
  }

  const finish = async (): Promise<void> => {
    await until(() => [...all.values()].every(isOver), limit)
    await audit()
    for (const { session } of all.values()) faults.push(`${session}: it was not ended`)
    for (const run of all.values()) drop(run)
  }

  return {
    all,
    begin,
    beginUpTo,
    audit,
    drop,
    finish,
    counts: () => ({ runs, good, messages, zombies, supersessions, faults }),
  }
}

/** Returns whether all readers of a run have received its end. */
export function isOver({ readers }: LiveRun): boolean {
  return readers.every(({ seen }) => seen().isDone)
}

/** Reads a session at each server, until its run has ended or the readers are disconnected. */
function watch(
  mills: readonly Mill[],
  session: string,
  outer: AbortSignal,
): Omit<LiveRun, 'mark' | 'takeOvers'> {
  const leaving = new AbortController()
  const signal = AbortSignal.any([outer, leaving.signal])
  const refusals: Refusal[] = []
  const readers = mills.map((mill, reader) => {
    const onRefused = (status: number, text: string): void =>
      void refusals.push({ reader, status, text })
    const follower = followSession({ session, chooseMill: () => mill, signal, onRefused })
    // Its own disconnect is not an error; its frames are read later.
    follower.done.catch(() => {})
    return follower
  })
  return { session, readers, refusals, leave: () => leaving.abort(new Error('It has left.')) }
}
