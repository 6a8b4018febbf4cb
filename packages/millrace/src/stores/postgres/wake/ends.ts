import type { MillraceError } from '../../../errors/index.ts'
import { unlessAborted } from '../../../streams/index.ts'
import {
  compareLog,
  createWaiters,
  logReplaced,
  sessionUnknown,
  storeClosed,
  type Waiters,
} from '../../port/index.ts'

/** Id and tail of a log. */
export interface End {
  readonly log: string
  readonly tail: number
}

/** Ends of the logs that have waits in this process. */
export interface Ends {
  wait(session: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /** Resolves waits for frames up to a new tail. */
  advance(session: string, tail: number): void
  /** Rejects the waits of a removed session. */
  drop(session: string): void
  /** Reads the ends of all logs with waits. */
  ask(): Promise<void>
  isWaiting(): boolean
  /** Rejects all waits. */
  dismiss(error: MillraceError): void
  close(): void
}

/** Options of {@link createEnds}. */
export interface EndsOptions {
  /** Reads the ends of logs. Sessions without a result do not exist. */
  readonly look: (sessions: readonly string[]) => Promise<ReadonlyMap<string, End>>
  readonly onWait: () => void
}

interface Entry {
  /** Undefined until the first read. */
  end: End | undefined
  opened: Promise<void>
  usedAt: number
}

/** Time that an end without waits is kept, because a reader usually waits again at once. */
const IDLE_MS = 10_000
const ASKED_AT_ONCE = 1_000

/** Creates the ends of a process. */
export function createEnds({ look, onWait }: EndsOptions): Ends {
  const waiters = createWaiters()
  const entries = createEntries(waiters, look)
  let isClosed = false

  const sweep = setInterval(entries.forgetIdle, IDLE_MS)
  sweep.unref()

  return {
    wait: async (session, after, signal, log) => {
      for (;;) {
        if (isClosed) throw storeClosed()
        if (signal.aborted) throw signal.reason
        // The entry exists before the wait starts, so that announcements and polls update it meanwhile.
        const entry = entries.provide(session)
        const { end } = entry
        if (end === undefined) {
          await unlessAborted(entry.opened, signal)
          continue
        }
        compareLog(session, log, end.log)
        if (end.tail > after) return
        onWait()
        return waiters.wait(session, after, signal, log)
      }
    },
    advance: entries.advance,
    drop: entries.drop,
    ask: entries.ask,
    isWaiting: () => waiters.names().length > 0,
    dismiss: (error) => {
      entries.clear()
      waiters.dismissAll(error)
    },
    close: () => {
      isClosed = true
      clearInterval(sweep)
      entries.clear()
      waiters.dismissAll(storeClosed())
    },
  }
}

/** Creates the entries of the logs with waits. */
function createEntries(waiters: Waiters, look: EndsOptions['look']) {
  const entries = new Map<string, Entry>()

  const drop = (session: string): void => {
    entries.delete(session)
    waiters.dismiss(session, sessionUnknown(session))
  }

  const see = (session: string, entry: Entry, end: End | undefined): void => {
    if (entries.get(session) !== entry) return
    const { end: known } = entry
    if (end === undefined) return drop(session)
    if (known === undefined || known.tail < end.tail || known.log !== end.log) entry.end = end
    if (known !== undefined && known.log !== end.log)
      waiters.dismiss(session, logReplaced(session, known.log, end))
    waiters.wake(session, end.tail, end.log)
  }

  const askSome = async (some: readonly (readonly [string, Entry])[]): Promise<void> => {
    const found = await look(some.map(([session]) => session))
    for (const [session, entry] of some) see(session, entry, found.get(session))
  }

  const open = async (session: string, entry: Entry): Promise<void> => {
    try {
      const end = (await look([session])).get(session)
      if (end === undefined) throw sessionUnknown(session)
      // Nothing is stored if the entries were cleared meanwhile; remaining waits read again.
      see(session, entry, end)
    } catch (error) {
      if (entries.get(session) === entry) entries.delete(session)
      throw error
    }
  }

  return {
    drop,
    clear: () => entries.clear(),
    provide: (session: string): Entry => {
      const entry = entries.get(session) ?? createEntry()
      entry.usedAt = performance.now()
      if (!entries.has(session)) {
        entries.set(session, entry)
        entry.opened = open(session, entry)
      }
      return entry
    },
    advance: (session: string, tail: number): void => {
      const entry = entries.get(session)
      if (entry?.end === undefined || entry.end.tail >= tail) return
      entry.end = { ...entry.end, tail }
      waiters.wake(session, tail)
    },
    ask: async (): Promise<void> => {
      const waited = waiters.names().flatMap((session) => {
        const entry = entries.get(session)
        return entry === undefined ? [] : [[session, entry] as const]
      })
      for (let start = 0; start < waited.length; start += ASKED_AT_ONCE)
        await askSome(waited.slice(start, start + ASKED_AT_ONCE))
    },
    forgetIdle: () => forgetIdle(entries, new Set(waiters.names())),
  }
}

function forgetIdle(entries: Map<string, Entry>, waited: ReadonlySet<string>): void {
  const before = performance.now() - IDLE_MS
  for (const [session, { usedAt }] of entries)
    if (usedAt < before && !waited.has(session)) entries.delete(session)
}

function createEntry(): Entry {
  return { end: undefined, opened: Promise.resolve(), usedAt: 0 }
}
