import type { Keys } from '../keys.ts'
import type { Marks } from './marks.ts'
import type { RunScript } from './run-script.ts'
import { check } from '../scripts/index.ts'
import { type SessionState, stateOf, statusOf } from '../sessions/session-state.ts'
import { logTruncated } from './store-errors.ts'

/** Detects data loss after a Redis restart. */
export interface DataLossDetector {
  /** Returns the last known state of a session. */
  lastKnown(session: string): SessionState | undefined
  /** Compares a state from Redis with the last known state, and records it; returns whether data was lost. */
  record(session: string, state: SessionState): boolean | Promise<boolean>
  /** Throws `log_truncated` if a session differs from its last known state because of data loss. */
  verify(session: string): Promise<void>
  forget(session: string): void
  /** Compares all known states, so that other processes learn of data loss before they write. */
  verifyAll(): Promise<void>
}

/** Options of the data loss detector. */
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

/** Creates a data loss detector. */
export function createDataLossDetector(options: DetectorOptions): DataLossDetector {
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

  return {
    lastKnown: (session) => marks.get(session),

    record: (session, state) => {
      const seen = marks.get(session)
      if (seen !== undefined && !isBehind(seen, state)) return isLost(session, seen)
      marks.set(session, state)
      return false
    },

    verify: async (session) => {
      const seen = marks.get(session)
      if (seen === undefined || !(await isLost(session, seen))) return
      throw logTruncated(session, marks.get(session)?.tail ?? 0)
    },

    forget: (session) => marks.delete(session),

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
