import type { MillraceError } from '../../../errors/index.ts'
import {
  compareLog,
  createWaiters,
  logReplaced,
  sessionUnknown,
  storeClosed,
  type Waiters,
} from '../../port/index.ts'

/** Where a log ends. */
export interface End {
  readonly log: string
  readonly tail: number
}

/** The ends of the logs that somebody in this process waits at. */
export interface Ends {
  wait(session: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /** Wakes those who wait for less than a tail that was stored here or told of elsewhere. */
  advance(session: string, tail: number): void
  /** Sends away those who wait for a session that is gone. */
  drop(session: string): void
  /** Asks where all logs end that somebody waits at. */
  ask(): Promise<void>
  isWaiting(): boolean
  /** Sends away all who wait. */
  dismiss(error: MillraceError): void
  close(): void
}

/** What ends are made with. */
export interface EndsOptions {
  /** Looks where logs end; sessions that it gives nothing for are gone. */
  readonly look: (sessions: readonly string[]) => Promise<ReadonlyMap<string, End>>
  readonly onWait: () => void
}

interface Entry {
  /** Undefined until it was asked for the first time. */
  end: End | undefined
  opened: Promise<void>
  usedAt: number
}

/** An end that nobody waits at is known for so long, as a reader comes back for the next message at once. */
const IDLE_MS = 10_000
const ASKED_AT_ONCE = 1_000

/** Builds the ends of a process. */
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
        // Known from before the wait on: what is stored in between is heard or asked for.
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

/** What is known of the ends of logs, for those who wait. */
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
      // Nothing is kept if all were sent away meanwhile; whoever still waits asks again.
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

/** Waits for a promise, or rejects with the signal's reason if that comes first. */
function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
