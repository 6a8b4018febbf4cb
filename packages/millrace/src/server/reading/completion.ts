import { frameStart } from '../../events/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { createListeners, onAbort } from '../../streams/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import { pinLog } from '../feeds/page-reader.ts'
import type { Recovery } from '../recovery/recovery.ts'
import { isRunning } from '../runs/run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import { rootAgentOf } from '../sessions/session-record.ts'

/** The completion of a stream. */
export interface Completion {
  /** The id after which `[DONE]` follows; undefined until it is known. */
  lastId(): number | undefined
  /** Whether this server can no longer learn the end: the reader is disconnected and can resume. */
  isInterrupted(): boolean
  /** Registers a listener for the next change of the values above; returns a function that removes it. */
  onChange(listener: () => void): () => void
}

/** A completion that is set later. */
export interface CompletionSource extends Completion {
  complete(lastId: number): void
  interrupt(): void
}

/** Creates the completion of a stream whose last id is known. */
export function completedAt(lastId: number): Completion {
  return { lastId: () => lastId, isInterrupted: () => false, onChange: () => () => {} }
}

/** Creates a completion that is later completed or interrupted, once. */
export function createCompletion(): CompletionSource {
  const listeners = createListeners()
  let last: number | undefined
  let interrupted = false

  const notify = (): void => {
    listeners.notify()
    listeners.clear()
  }

  return {
    lastId: () => last,
    isInterrupted: () => interrupted,
    onChange: listeners.subscribe,
    complete: (lastId) => {
      last = lastId
      notify()
    },
    interrupt: () => {
      interrupted = true
      notify()
    },
  }
}

const PAGE = 256

/** A session as its reader saw it. */
type SeenSession = Pick<SessionInfo, 'session' | 'log' | 'tail'>

/** A reader of a run on another server. */
interface RemoteReader {
  /** The run ends with the first `meta_end` after this frame. */
  after: number
  readonly completion: CompletionSource
}

/** A log written by another server, followed once for all its readers. */
interface Followed extends Pick<SessionInfo, 'session' | 'log'> {
  readonly readers: Set<RemoteReader>
  readonly over: AbortController
}

interface RemoteCompletionsOptions {
  readonly store: Store
  /** Time after which the lease of another server expires. */
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** Recovers runs whose server is gone. */
  readonly recovery: () => Pick<Recovery, 'attempt' | 'isServed'>
}

/**
 * Creates completions of runs on other servers. A completion is completed when the end of the run is in the store, and
 * interrupted when the signal aborts or the store fails. A run with a reader is recovered if its server is gone.
 */
export function createRemoteCompletions(
  options: RemoteCompletionsOptions,
): (seen: SeenSession) => Completion {
  const { signal } = options
  const logs = new Map<string, Followed>()
  // One listener for all: listeners for each log would pile up on a long-lived signal.
  onAbort(signal, () => logs.forEach(({ over }) => over.abort()))

  const follow = async (followed: Followed): Promise<void> => {
    try {
      while (followed.readers.size > 0) await findEnd(options, followed)
    } catch {
      for (const { completion } of followed.readers) completion.interrupt()
    } finally {
      logs.delete(followed.log)
    }
  }

  return ({ session, log, tail }) => {
    const reader = { after: tail, completion: createCompletion() }
    const known = logs.get(log)
    if (known !== undefined) known.readers.add(reader)
    else {
      const followed = { session, log, readers: new Set([reader]), over: new AbortController() }
      logs.set(log, followed)
      void follow(followed)
    }
    return reader.completion
  }
}

/** Reads the session once and waits for the end of its run; completes readers that were registered before that end. */
async function findEnd(
  { store, leaseMs, recovery }: RemoteCompletionsOptions,
  followed: Followed,
): Promise<void> {
  const { session, log, readers, over } = followed
  const { signal } = over
  const early = [...readers]
  const info = await store.info(session)
  signal.throwIfAborted()
  if (info?.log !== log) throw new Error('The log was removed.')
  // A reader registered since may have seen a run that began after this read.
  if (!isRunning(info)) return early.forEach((reader) => complete(followed, reader, info.tail))
  if (!recovery().isServed(info)) throw new Error('The server of the run is gone.')
  // From the earliest position: that run may have ended, and a queued prompt begun, before this read.
  const start = Math.min(...early.map(({ after }) => after))
  const { last, isEnd } = await findRunEnd(pinLog(store, log), info, { start, signal, ms: leaseMs })
  for (const reader of readers) {
    // A reader registered meanwhile may have read the session before the start.
    if (reader.after < start || reader.after >= last) continue
    if (isEnd) complete(followed, reader, last)
    else reader.after = last
  }
  // The server may be gone, and a reader here may be the only one to notice.
  if (!isEnd) await recovery().attempt(session)
}

function complete({ readers }: Followed, reader: RemoteReader, lastId: number): void {
  readers.delete(reader)
  reader.completion.complete(lastId)
}

/**
 * Finds the first `meta_end` of the root agent after a frame, which is the last frame of a run [LIFE-6]. Compares the first bytes
 * only, since a frame may be long. Resolves with its id, or with the last frame read if none came within `ms`.
 */
async function findRunEnd(
  store: Pick<Store, 'read' | 'wait'>,
  info: SessionInfo,
  how: { readonly start: number; readonly signal: AbortSignal; readonly ms: number },
): Promise<{ readonly last: number; readonly isEnd: boolean }> {
  const { session } = info
  const root = rootAgentOf(session, headOf(info))
  const end = frameStart('run_end', root, 'last')
  for (let last = how.start; ;) {
    const isQuiet = await waitFor(store, session, { ...how, after: last })
    if (isQuiet) return { last, isEnd: false }
    const page = await store.read(session, last, PAGE)
    const found = page.find(({ line }) => hasAt(line, end, 0))
    if (found !== undefined) return { last: found.id, isEnd: true }
    last = page.at(-1)?.id ?? last
  }
}

/** Waits for a frame after an id; resolves with true if none arrived within `ms`. */
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
