import type { Keys } from '../keys.ts'
import type { RunScript } from './run-script.ts'
import { check } from '../scripts/sessions.ts'
import { type Reply, type SessionState, stateOf, statusOf } from '../reply.ts'
import { compareLog } from '../../port/index.ts'
import { logTruncated } from './store-errors.ts'

type Marks = ReturnType<typeof createMarks>

/** Lifetime of an unused state. */
export const MARK_MS = 1_800_000

/** Creates a collection with a maximum number of sessions. The least recently used are dropped first. */
export function createMarks(maxMarks: number, now = Date.now) {
  // Keys of a Map keep their insertion order.
  const marks = new Map<string, { state: SessionState; usedAt: number }>()

  const get = (session: string): SessionState | undefined => {
    const mark = marks.get(session)
    if (mark === undefined) return undefined
    if (mark.usedAt > now() - MARK_MS) return mark.state
    marks.delete(session)
    return undefined
  }

  return {
    get,
    set: (session: string, state: SessionState) => {
      marks.delete(session)
      marks.set(session, { state, usedAt: now() })
      if (marks.size <= maxMarks) return
      const [oldest] = marks.keys()
      if (oldest !== undefined) marks.delete(oldest)
    },
    delete: (session: string) => void marks.delete(session),
    sessions: (): readonly string[] => [...marks.keys()],
  }
}

/** Detects data loss after a Redis restart. */
export type DataLossDetector = ReturnType<typeof createDataLossDetector>

interface DetectorOptions {
  readonly run: RunScript
  readonly keys: Keys
  readonly marks: Marks
  /** Keys of the sets of all sessions, if a session's script may use them. */
  readonly shared: readonly string[]
  /** Called for a session that is closed because of data loss. */
  readonly onLost: (session: string) => Promise<void>
}

const VERIFIED_AT_ONCE = 100

/** Creates a detector of data that Redis has lost since this process saw it. */
export function createDataLossDetector(options: DetectorOptions) {
  const { run, keys, marks, shared, onLost } = options
  /** Compares in Redis, which closes the session after data loss. Its reply becomes the known state. */
  const isLost = async (session: string, seen: SessionState): Promise<boolean> => {
    const { meta, channel } = keys.session(session)
    const { epoch, writer, tail, log, writes } = seen
    const about = [session, channel, epoch, writer, tail, log, writes]
    const reply = await run(check, [meta, ...shared], about)
    const status = statusOf(reply)
    if (status === 'removed') marks.delete(session)
    else marks.set(session, stateOf(reply))
    if (status === 'lost') await onLost(session)
    return status === 'lost'
  }

  const verify = async (session: string): Promise<void> => {
    const seen = marks.get(session)
    if (seen === undefined || !(await isLost(session, seen))) return
    throw logTruncated(session, marks.get(session)?.tail ?? 0)
  }

  const record = (session: string, state: SessionState): boolean | Promise<boolean> => {
    const seen = marks.get(session)
    if (seen !== undefined && !isBehind(seen, state)) return isLost(session, seen)
    marks.set(session, state)
    return false
  }

  return {
    lastKnown: (session: string): SessionState | undefined => marks.get(session),

    /** Compares a state from Redis with the last known state, and records it; returns whether data was lost. */
    record,

    /** Throws `log_truncated` if a session differs from its last known state because of data loss. */
    verify,

    /** Records the state in a reply, and compares its log with the named one; undefined if there is no session. */
    receive: async (session: string, reply: Reply, log?: string) => {
      if (statusOf(reply) === 'missing') {
        await verify(session)
        return undefined
      }
      const state = stateOf(reply)
      compareLog(session, log, state.log)
      return { state, isLost: await record(session, state) }
    },

    forget: (session: string) => marks.delete(session),

    /** Compares all known states, so that other processes learn of data loss before they write. */
    verifyAll: async () => {
      const sessions = marks.sessions()
      for (let start = 0; start < sessions.length; start += VERIFIED_AT_ONCE) {
        const some = sessions.slice(start, start + VERIFIED_AT_ONCE)
        await Promise.all(
          some.map(async (session) => {
            const seen = marks.get(session)
            if (seen !== undefined) await isLost(session, seen)
          }),
        )
      }
    },
  }
}

/** Whether appends, submissions and settlements alone can lead from the known state to another. */
function isBehind(seen: SessionState, state: SessionState): boolean {
  const isSame = seen.epoch === state.epoch && seen.writer === state.writer
  return isSame && seen.tail <= state.tail && seen.writes <= state.writes
}
