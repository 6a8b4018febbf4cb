import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-head.ts'
import { createCompletion, type Completion, type CompletionSource } from './completion.ts'
import { pinLog } from './pin-log.ts'
import { headOf } from '../sessions/load-session.ts'
import type { Recovery } from '../recovery/recovery.ts'
import { isRunning } from '../runs/run-services.ts'
import { rootAgentOf } from '../sessions/session-record.ts'

const PAGE = 256

/** A session as a reader has seen it. */
type Seen = Pick<SessionInfo, 'session' | 'log' | 'tail'>

/** A reader of a run elsewhere. */
interface Asker {
  /** The end of its run is the first one after this frame. */
  after: number
  readonly completion: CompletionSource
}

/** A log elsewhere that is followed once for all its readers. */
interface Followed extends Pick<SessionInfo, 'session' | 'log'> {
  readonly askers: Set<Asker>
  readonly over: AbortController
}

/** The store, the lease and the recovery with which the completions of runs elsewhere are found. */
export interface RemoteCompletionsOptions {
  readonly store: Store
  /** How long after its last sign of life another server may carry on a server's runs. */
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** Carries on runs whose server is gone. */
  readonly recovery: () => Pick<Recovery, 'attempt' | 'isCarriedOn'>
}

/**
 * Creates a function that gives the completions of readers of runs that other servers carry on. A completion is reached when the end of the run
 * is in the store, and lost when the signal aborts or the store fails. A run that has a reader is not left to a server that is gone.
 */
export function createRemoteCompletions(
  options: RemoteCompletionsOptions,
): (seen: Seen) => Completion {
  const { signal } = options
  const logs = new Map<string, Followed>()
  // One listener for all: a signal that outlives them would gather theirs.
  signal.addEventListener('abort', () => logs.forEach(({ over }) => over.abort()), { once: true })

  const follow = async (followed: Followed): Promise<void> => {
    try {
      while (followed.askers.size > 0) await findEnd(options, followed)
    } catch {
      for (const { completion } of followed.askers) completion.lose()
    } finally {
      logs.delete(followed.log)
    }
  }

  return ({ session, log, tail }) => {
    const asker = { after: tail, completion: createCompletion() }
    const known = logs.get(log)
    if (known !== undefined) known.askers.add(asker)
    else {
      const followed = { session, log, askers: new Set([asker]), over: new AbortController() }
      logs.set(log, followed)
      void follow(followed)
    }
    return asker.completion
  }
}

/** Looks at the session once, and waits for the end of a run there; reaches the completions of those who asked before that end. */
async function findEnd(
  { store, leaseMs, recovery }: RemoteCompletionsOptions,
  followed: Followed,
): Promise<void> {
  const { session, log, askers, over } = followed
  const { signal } = over
  const asked = [...askers]
  const info = await store.info(session)
  signal.throwIfAborted()
  if (info?.log !== log) throw new Error('The log is gone.')
  // A reader that has asked since may have seen a run that began after this look.
  if (!isRunning(info)) return asked.forEach((asker) => reach(followed, asker, info.tail))
  if (!recovery().isCarriedOn(info)) throw new Error('Its server is gone.')
  // From the first reader on: its run may have ended, and a queued prompt have begun, before this look.
  const start = Math.min(...asked.map(({ after }) => after))
  const { last, isEnd } = await passEnd(pinLog(store, log), info, { start, signal, ms: leaseMs })
  for (const asker of askers) {
    // A reader that came meanwhile may have looked before the start.
    if (asker.after < start || asker.after >= last) continue
    if (isEnd) reach(followed, asker, last)
    else asker.after = last
  }
  // Its server may be gone, and a reader here may be the only one to notice.
  if (!isEnd) await recovery().attempt(session)
}

function reach({ askers }: Followed, asker: Asker, lastId: number): void {
  askers.delete(asker)
  asker.completion.reach(lastId)
}

/**
 * Finds the first end of a run after a frame: `meta_end` of the root agent, which is the last frame of a run [LIFE-6] and is known by
 * its first bytes, since a line may be long. Resolves with its id, or with the last frame that was read if no frame came for so long.
 */
async function passEnd(
  store: Pick<Store, 'read' | 'wait'>,
  info: SessionInfo,
  how: { readonly start: number; readonly signal: AbortSignal; readonly ms: number },
): Promise<{ readonly last: number; readonly isEnd: boolean }> {
  const { session } = info
  const root = rootAgentOf(session, headOf(info))
  const head = `{"type":"meta_end","agent":${JSON.stringify(root)},"final":true`
  const end = new TextEncoder().encode(head)
  for (let last = how.start; ;) {
    const isQuiet = await waitFor(store, session, { ...how, after: last })
    if (isQuiet) return { last, isEnd: false }
    const page = await store.read(session, last, PAGE)
    const found = page.find(({ line }) => hasAt(line, end, 0))
    if (found !== undefined) return { last: found.id, isEnd: true }
    last = page.at(-1)?.id ?? last
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
