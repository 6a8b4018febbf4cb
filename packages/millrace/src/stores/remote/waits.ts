import type { MillraceError } from '../../errors/index.ts'
import { awaitOrAbort } from '../../streams/index.ts'
import {
  compareLog,
  createWaiters,
  logReplaced,
  sessionUnknown,
  storeClosed,
  type Waiters,
} from '../port/index.ts'

/** Id and tail of a log. */
export interface End {
  readonly log: string
  readonly tail: number
}

/** Waits of this process for frames, with the known ends of their logs. */
export type Waits = ReturnType<typeof createWaits>

/** Options of {@link createWaits}. */
export interface WaitsOptions {
  /** Reads the ends of logs. Sessions without a result do not exist. */
  readonly look: (sessions: readonly string[]) => Promise<ReadonlyMap<string, End>>
  readonly onWait?: () => void
  /** Called before the end of a log is first read. */
  readonly watch?: (session: string) => Promise<void>
  /** Called when the end of a log is forgotten. */
  readonly unwatch?: (session: string) => void
  /** Number of appends of this process without a wait after which an end is forgotten. */
  readonly maxAppends?: number
}

interface Entry {
  /** The awaited log; undefined until its end is read. */
  log?: string
  /** It may be announced before the first read returns. */
  tail: number
  opened?: Promise<void>
  error?: MillraceError
  waits: number
  /** Number of appends of this process since the last wait. */
  appends: number
  /** Whether there was no wait at the last sweep, nor since. */
  isIdle: boolean
}

/** Minimum time that an end without waits is kept, because a reader usually waits again at once. */
const IDLE_MS = 10_000

/** Creates the waits of a process. */
export function createWaits({ onWait, maxAppends = Infinity, ...options }: WaitsOptions) {
  const waiters = createWaiters()
  const ends = createEnds(waiters, options)
  const sweep = setInterval(() => sweepIdle(ends), IDLE_MS)
  sweep.unref()
  let isClosed = false

  return {
    wait: async (session: string, after: number, signal: AbortSignal, log?: string) => {
      for (;;) {
        if (isClosed) throw storeClosed()
        signal.throwIfAborted()
        // The entry exists before the wait starts, so that it is updated meanwhile.
        const entry = ends.entries.get(session) ?? ends.open(session)
        entry.isIdle = false
        entry.appends = 0
        if (entry.log === undefined) {
          await awaitOrAbort(entry.opened, signal)
          if (entry.error !== undefined) throw entry.error
          continue
        }
        compareLog(session, log, entry.log)
        if (entry.tail > after) return
        onWait?.()
        entry.waits++
        return waiters.wait(session, after, signal).finally(() => entry.waits--)
      }
    },
    /** Resolves waits for frames up to a new tail. */
    advance: ends.advance,
    /** Like `advance`, for an append of this process. Readers of another log learn from the store that it was removed. */
    append: (session: string, tail: number, log?: string) => {
      const entry = ends.entries.get(session)
      if (entry?.log === undefined) return
      if (entry.waits === 0 && ++entry.appends > maxAppends) ends.drop(session, storeClosed())
      else if (log === undefined || log === entry.log) ends.advance(session, tail)
    },
    ask: ends.ask,
    /** Rejects the waits for a session, and forgets its end. */
    drop: ends.drop,
    dismissAll: ends.dismissAll,
    /** Sessions whose end is known or being read. */
    known: (): readonly string[] => [...ends.entries.keys()],
    waited: waiters.names,
    /** Rejects all present and later waits. */
    close: () => {
      isClosed = true
      clearInterval(sweep)
      ends.dismissAll(storeClosed())
    },
  }
}

type Ends = ReturnType<typeof createEnds>

/** Creates the ends of the logs that have, or recently had, waits. Only they have waits. */
function createEnds(
  waiters: Waiters,
  { look, watch, unwatch }: Pick<WaitsOptions, 'look' | 'watch' | 'unwatch'>,
) {
  const entries = new Map<string, Entry>()

  const drop = (session: string, error: MillraceError): void => {
    if (!entries.delete(session)) return
    waiters.dismiss(session, error)
    unwatch?.(session)
  }

  const advance = (session: string, tail: number): void => {
    const entry = entries.get(session)
    if (entry === undefined || entry.tail >= tail) return
    entry.tail = tail
    waiters.wake(session, tail)
  }

  const see = (session: string, entry: Entry, end: End | undefined): void => {
    // Another entry may have replaced it.
    if (entries.get(session) !== entry) return
    if (end === undefined) return fail(session, entry, sessionUnknown(session))
    const { log = end.log } = entry
    if (log !== end.log) return drop(session, logReplaced(session, log, end))
    entry.log = log
    advance(session, end.tail)
  }

  const fail = (session: string, entry: Entry, error: MillraceError): void => {
    entry.error = error
    if (entries.get(session) === entry) drop(session, error)
  }

  const ask = async (sessions: readonly string[]): Promise<void> => {
    const asked = sessions.map((session) => [session, entries.get(session)] as const)
    const found = await look(sessions)
    for (const [session, entry] of asked) if (entry) see(session, entry, found.get(session))
  }

  const read = async (session: string, entry: Entry): Promise<void> => {
    try {
      await watch?.(session)
      see(session, entry, (await look([session])).get(session))
    } catch (error) {
      fail(session, entry, error as MillraceError)
    }
  }

  return {
    entries,
    open: (session: string): Entry => {
      const entry: Entry = { tail: 0, waits: 0, appends: 0, isIdle: false }
      entries.set(session, entry)
      entry.opened = read(session, entry)
      return entry
    },
    drop,
    advance,
    ask,
    dismissAll: (error: MillraceError): void => {
      for (const session of entries.keys()) drop(session, error)
    },
  }
}

/** Drops the entries that were idle at the last sweep too. */
function sweepIdle({ entries, drop }: Ends): void {
  for (const [session, entry] of entries) {
    if (entry.isIdle) drop(session, storeClosed())
    entry.isIdle = entry.waits === 0 && entry.log !== undefined
  }
}
