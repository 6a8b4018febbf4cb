import { isMillraceError } from '../../../errors/index.ts'
import { compareLog, sessionUnknown, storeClosed } from '../../port/index.ts'
import type { Keys } from '../keys.ts'
import type { Subscriber } from './subscriber.ts'
import { createTap, type Tap } from './tap.ts'
import { unlessAborted } from '../connection/unless-aborted.ts'

/**
 * The live ends of sessions that somebody in this process waits for. A channel is heard before the tail is asked for,
 * so that nothing comes between; after a lost connection all tails are asked for again.
 */
export interface Taps {
  wait(session: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /** Wakes the readers here of an append made here, without the way over Redis. Readers of another log learn from Redis that it was removed. */
  advance(session: string, tail: number, log: string): void
  /** Takes what was published on a session's channel. */
  hear(channel: string, message: string): void
  /** Asks for every tail, because something may not have been heard. */
  recheck(): void
  /** Sends away all who wait. */
  dismiss(error: Error): void
  close(error: Error): void
}

/** What taps are made with. */
export interface TapsOptions {
  readonly keys: Keys
  readonly subscriber: () => Subscriber
  /** Asks where the log of a session ends; throws if there will be nothing to read. */
  readonly endOf: (session: string) => Promise<{ readonly tail: number; readonly log: string }>
  readonly forget: (session: string) => void
}

interface Entry {
  readonly session: string
  readonly channel: string
  readonly tap: Tap
  /** The log that is waited for, once it is known. */
  log: string | undefined
  opened: Promise<void>
  isOpen: boolean
  /** Appends that were made here since somebody has waited. */
  unheard: number
}

/** A channel that nobody needs is heard for so long, as a reader comes back for the next message at once. */
const IDLE_MS = 10_000

/**
 * A channel is given up when so many appends were made here and nobody has waited: their readers are given what is appended, and
 * each publication would still have to be taken from the socket. Enough of them to pay for hearing the channel again.
 */
const MAX_UNHEARD = 16

/** Builds the taps of a process. */
export function createTaps({ keys, subscriber, endOf, forget }: TapsOptions): Taps {
  const entries = new Map<string, Entry>()

  const remove = (entry: Entry, error: Error): void => {
    entry.tap.dismiss(error)
    if (entries.get(entry.channel) !== entry) return
    entries.delete(entry.channel)
    subscriber().unsubscribe(entry.channel)
  }

  const ask = async (entry: Entry, isNew = false): Promise<void> => {
    try {
      if (isNew) await subscriber().subscribe(entry.channel)
      advance(entry, await endOf(entry.session))
    } catch (error) {
      remove(entry, error as Error)
      throw error
    }
  }

  const open = (session: string, channel: string): Entry => {
    const entry = createEntry(session, channel)
    entries.set(channel, entry)
    entry.opened = ask(entry, true)
    return entry
  }

  const wait: Taps['wait'] = async (session, after, signal, log) => {
    if (signal.aborted) throw signal.reason
    const { channel } = keys.session(session)
    for (;;) {
      const entry = entries.get(channel) ?? open(session, channel)
      if (entry.isOpen) return waitAt(entry, after, signal, log)
      await unlessAborted(entry.opened, signal)
      // Asked again, as it may have been closed between its opening and here.
    }
  }

  const dismiss = (error: Error, isMeant = (_: Entry): boolean => true): void => {
    for (const entry of entries.values()) if (isMeant(entry)) remove(entry, error)
  }
  // Nobody waits there who would see the error.
  const sweep = setInterval(() => dismiss(storeClosed(), isIdle), IDLE_MS).unref()

  return {
    wait,
    dismiss,

    advance: (session, tail, log) => {
      const entry = entries.get(keys.session(session).channel)
      if (entry !== undefined && isUnheard(entry)) remove(entry, storeClosed())
      else if (entry?.log === log) entry.tap.advance(tail)
    },

    hear: (channel, message) => {
      const entry = entries.get(channel)
      if (entry === undefined) return
      if (message === 'gone') {
        forget(entry.session)
        remove(entry, sessionUnknown(entry.session))
      } else if (message === 'lost') ask(entry).catch(ignore)
      else if (/^\d{1,15}$/.test(message)) entry.tap.advance(Number(message))
    },

    recheck: () => entries.forEach((entry) => void ask(entry).catch(ignore)),

    close: (error) => {
      clearInterval(sweep)
      dismiss(error)
    },
  }
}

/** Takes where the log ends; throws `log_replaced` if it is another one than those who wait have read. */
function advance(entry: Entry, { tail, log }: Awaited<ReturnType<TapsOptions['endOf']>>): void {
  compareLog(entry.session, entry.log, log)
  entry.log = log
  entry.tap.advance(tail)
  entry.isOpen = true
}

async function waitAt(
  entry: Entry,
  after: number,
  signal: AbortSignal,
  log: string | undefined,
): Promise<void> {
  compareLog(entry.session, log, entry.log ?? '')
  entry.unheard = 0
  return entry.tap.wait(after, signal)
}

function createEntry(session: string, channel: string): Entry {
  const opened = Promise.resolve()
  return { session, channel, tap: createTap(), log: undefined, opened, isOpen: false, unheard: 0 }
}

function isIdle({ tap, isOpen }: Entry): boolean {
  return isOpen && (tap.idleSince() ?? Infinity) < performance.now() - IDLE_MS
}

/** Counts an append that was made here; tells whether the channel is not worth hearing any more. */
function isUnheard(entry: Entry): boolean {
  if (!entry.isOpen || entry.tap.idleSince() === undefined) return false
  return ++entry.unheard > MAX_UNHEARD
}

/** Whoever waits has been told. */
function ignore(error: unknown): void {
  if (!isMillraceError(error)) throw error
}
