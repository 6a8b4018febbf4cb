import { ask } from '../mill/ask.ts'
import { type Follower, followSession } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import { auditRun, describeOutcome } from './audit-run.ts'
import type { MarkedMill, Pair } from './open-pair.ts'
import { readStoredLog } from './stored-log.ts'
import { until } from './until.ts'

/** A run under way, with a reader at each server. */
export interface LiveRun {
  readonly session: string
  /** The mark of the server of each epoch so far. */
  readonly marks: string[]
  readonly readers: readonly Follower[]
}

/** The runs of a trial, which are looked at closely when they are over. */
export interface LiveRuns {
  readonly all: ReadonlyMap<string, LiveRun>
  /** Starts a run at a server. */
  begin(mill: MarkedMill): Promise<LiveRun>
  /** Compares those that are over with what they should be. */
  audit(): Promise<void>
  /** Waits for all to end, and compares them. */
  finish(): Promise<void>
  readonly counts: () => LiveCounts
}

/** What has become of the runs so far. */
export interface LiveCounts {
  readonly runs: number
  readonly messages: number
  readonly faults: readonly string[]
}

const PROMPT = 'grind it all'
const END_LIMIT_MS = 60_000

/** Builds the runs of a pair; the first is undisturbed, and shows how all are to end. */
export async function createLiveRuns(pair: Pair, signal: AbortSignal): Promise<LiveRuns> {
  const { redis, mills } = pair
  const all = new Map<string, LiveRun>()
  const faults: string[] = []
  let runs = 0
  let messages = 0

  const begin = async (mill: MarkedMill): Promise<LiveRun> => {
    const session = await ask(mill, PROMPT)
    const readers = mills.map((at: Mill) => {
      const follower = followSession({ session, chooseMill: () => at, signal })
      // Asked for what it has seen; that it was stopped is told by the signal.
      follower.done.catch(() => {})
      return follower
    })
    const run = { session, marks: [mill.mark], readers }
    all.set(session, run)
    return run
  }

  const isOver = ({ readers }: LiveRun): boolean => readers.every(({ seen }) => seen().isDone)

  const undisturbed = await begin(mills[0])
  const limit = { limitMs: END_LIMIT_MS, signal }
  if (!(await until(() => isOver(undisturbed), limit))) throw new Error('A run does not end.')
  const outcome = describeOutcome((await readStoredLog(redis, undisturbed.session)).lines)

  const audit = async (): Promise<void> => {
    for (const run of [...all.values()].filter(isOver)) {
      const { session, marks, readers } = run
      all.delete(session)
      const log = await readStoredLog(redis, session)
      const seen = readers.map((reader) => reader.seen())
      faults.push(...auditRun({ log, readers: seen, marks, outcome }))
      runs++
      messages += log.tail
    }
  }

  const finish = async (): Promise<void> => {
    await until(() => [...all.values()].every(isOver), limit)
    await audit()
    for (const { session } of all.values()) faults.push(`${session}: nobody has ended it`)
    all.clear()
  }

  return { all, begin, audit, finish, counts: () => ({ runs, messages, faults }) }
}
