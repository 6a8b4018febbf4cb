import type { Keys } from '../keys.ts'
import type { Marks } from './marks.ts'
import type { RunScript } from './run-script.ts'
import { check } from '../scripts/index.ts'
import { type SessionState, stateOf, statusOf } from '../sessions/session-state.ts'
import { logTruncated } from './store-errors.ts'

/** Notices when Redis has come back with less than this process has seen. */
export interface Witness {
  /** What this process has seen of a session. */
  mark(session: string): SessionState | undefined
  /** Compares what Redis says with what was seen, and remembers it; tells whether something was lost. */
  see(session: string, state: SessionState): boolean | Promise<boolean>
  /** Throws `log_truncated` if a session is not as it was seen because Redis has lost something. */
  doubt(session: string): Promise<void>
  forget(session: string): void
  /** Compares all that was seen, so that other processes learn of a loss before they write. */
  review(): Promise<void>
}

/** What a witness asks with. */
export interface WitnessOptions {
  readonly run: RunScript
  readonly keys: Keys
  readonly marks: Marks
  /** The keys of what is kept of all sessions, where one script may touch them. */
  readonly shared: readonly string[]
  /** Told of a session that is closed because something of it was lost. */
  readonly onLost: (session: string) => Promise<void>
}

const REVIEWED_AT_ONCE = 100

/** Builds a witness. */
export function createWitness({ run, keys, marks, shared, onLost }: WitnessOptions): Witness {
  /** Asks Redis, which closes the session if it contradicts. What it then says is what counts from here on. */
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
    mark: (session) => marks.get(session),

    see: (session, state) => {
      const seen = marks.get(session)
      if (seen !== undefined && !isBehind(seen, state)) return isLost(session, seen)
      marks.set(session, state)
      return false
    },

    doubt: async (session) => {
      const seen = marks.get(session)
      if (seen === undefined || !(await isLost(session, seen))) return
      throw logTruncated(session, marks.get(session)?.tail ?? 0)
    },

    forget: (session) => marks.delete(session),

    review: async () => {
      const sessions = marks.sessions()
      for (let start = 0; start < sessions.length; start += REVIEWED_AT_ONCE) {
        const some = sessions.slice(start, start + REVIEWED_AT_ONCE)
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

/** Tells whether what was seen may have become a state by mere appends and submissions. */
function isBehind(seen: SessionState, state: SessionState): boolean {
  const isSame = seen.epoch === state.epoch && seen.writer === state.writer
  return isSame && seen.tail <= state.tail && seen.writes <= state.writes
}
