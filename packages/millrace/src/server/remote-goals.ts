import type { SessionInfo, Store } from '../store/index.ts'
import { hasAt } from './feeds/line-head.ts'
import { createOpenGoal, type Goal, type OpenGoal } from './goal.ts'
import { pinLog } from './pin-log.ts'
import { headOf } from './load-session.ts'
import { isRunning } from './run-context.ts'
import { rootAgentOf } from './session-record.ts'

const PAGE = 256

type LogOf = Pick<SessionInfo, 'session' | 'log'>

/** A run elsewhere that is followed once, whoever reads it. */
interface Followed {
  readonly of: LogOf
  readonly goal: OpenGoal
  readonly over: AbortController
  /** How many have asked for the goal so far. */
  askers: number
}

/**
 * Builds what gives the goals of readers of runs that other servers carry on: reached when the end of the run is in
 * the store, lost when the signal aborts or the store fails.
 */
export function createRemoteGoals(store: Store, signal: AbortSignal): (of: LogOf) => Goal {
  const runs = new Map<string, Followed>()
  // One listener for all: a signal that outlives them would gather theirs.
  signal.addEventListener('abort', () => runs.forEach(({ over }) => over.abort()), { once: true })

  const follow = async (followed: Followed): Promise<void> => {
    try {
      followed.goal.reach(await findEnd(store, followed))
    } catch {
      followed.goal.lose()
    } finally {
      runs.delete(followed.of.log)
    }
  }

  return (of) => {
    const known = runs.get(of.log)
    if (known !== undefined) {
      known.askers++
      return known.goal
    }
    const followed = { of, goal: createOpenGoal(), over: new AbortController(), askers: 1 }
    runs.set(of.log, followed)
    void follow(followed)
    return followed.goal
  }
}

/** Where the log ended when no run was under way any more. */
async function findEnd(store: Store, followed: Followed): Promise<number> {
  const { signal } = followed.over
  const { session, log } = followed.of
  for (;;) {
    const { askers } = followed
    const info = await store.info(session)
    signal.throwIfAborted()
    if (info?.log !== log) throw new Error('The log is gone.')
    if (isRunning(info)) await passEnd(pinLog(store, log), info, signal)
    // Whoever has asked since may have seen a run that began after this look.
    else if (askers === followed.askers) return info.tail
  }
}

/** Resolves when a run has ended after an id: the log tells that in its first bytes, where a record may be large. */
async function passEnd(
  store: Pick<Store, 'read' | 'wait'>,
  info: SessionInfo,
  signal: AbortSignal,
): Promise<void> {
  const { session } = info
  const root = rootAgentOf(session, headOf(info))
  const end = new TextEncoder().encode(
    `{"type":"meta_end","agent":${JSON.stringify(root)},"final":true`,
  )
  for (let after = info.tail; ;) {
    await store.wait(session, after, signal)
    const page = await store.read(session, after, PAGE)
    if (page.some(({ line }) => hasAt(line, end, 0))) return
    after = page.at(-1)?.id ?? after
  }
}
