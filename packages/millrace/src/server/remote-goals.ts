import type { SessionInfo, Store } from '../store/index.ts'
import { hasAt } from './feeds/line-head.ts'
import { createOpenGoal, type Goal, type OpenGoal } from './goal.ts'
import { pinLog } from './pin-log.ts'
import { headOf } from './load-session.ts'
import type { Recovery } from './recovery/recovery.ts'
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

/** What the goals of runs elsewhere are found with. */
export interface RemoteGoalsOptions {
  readonly store: Store
  /** How long after its last sign of life another server may carry on a server's runs. */
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** Carries on runs whose server is gone. */
  readonly recovery: () => Pick<Recovery, 'attempt' | 'isCarriedOn'>
}

/**
 * Builds what gives the goals of readers of runs that other servers carry on: reached when the end of the run is in
 * the store, lost when the signal aborts or the store fails. A run that has an asker is not left to a server that is gone.
 */
export function createRemoteGoals(options: RemoteGoalsOptions): (of: LogOf) => Goal {
  const { signal } = options
  const runs = new Map<string, Followed>()
  // One listener for all: a signal that outlives them would gather theirs.
  signal.addEventListener('abort', () => runs.forEach(({ over }) => over.abort()), { once: true })

  const follow = async (followed: Followed): Promise<void> => {
    try {
      followed.goal.reach(await findEnd(options, followed))
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
async function findEnd(
  { store, leaseMs, recovery }: RemoteGoalsOptions,
  followed: Followed,
): Promise<number> {
  const { signal } = followed.over
  const { session, log } = followed.of
  for (;;) {
    const { askers } = followed
    const info = await store.info(session)
    signal.throwIfAborted()
    if (info?.log !== log) throw new Error('The log is gone.')
    if (isRunning(info)) {
      if (!recovery().isCarriedOn(info)) throw new Error('Its server is gone.')
      const isOver = await passEnd(pinLog(store, log), info, { signal, ms: leaseMs })
      // Its server may be gone, and whoever waits here may be the only one to notice.
      if (!isOver) await recovery().attempt(session)
    }
    // Whoever has asked since may have seen a run that began after this look.
    else if (askers === followed.askers) return info.tail
  }
}

/**
 * Resolves with true when a run has ended after the tail, which the log tells in its first bytes, where a record may be large; with
 * false if nothing came for so long.
 */
async function passEnd(
  store: Pick<Store, 'read' | 'wait'>,
  info: SessionInfo,
  { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
): Promise<boolean> {
  const { session } = info
  const root = rootAgentOf(session, headOf(info))
  const head = `{"type":"meta_end","agent":${JSON.stringify(root)},"final":true`
  const end = new TextEncoder().encode(head)
  for (let after = info.tail; ;) {
    const isQuiet = await waitFor(store, session, { after, signal, ms })
    if (isQuiet) return false
    const page = await store.read(session, after, PAGE)
    if (page.some(({ line }) => hasAt(line, end, 0))) return true
    after = page.at(-1)?.id ?? after
  }
}

/** Waits for a frame after an id; resolves with true if none came for so long. */
async function waitFor(
  store: Pick<Store, 'wait'>,
  session: string,
  {
    after,
    signal,
    ms,
  }: { readonly after: number; readonly signal: AbortSignal; readonly ms: number },
): Promise<boolean> {
  const quiet = AbortSignal.timeout(ms)
  try {
    await store.wait(session, after, AbortSignal.any([signal, quiet]))
    return false
  } catch (error) {
    if (quiet.aborted && !signal.aborted) return true
    throw error
  }
}
