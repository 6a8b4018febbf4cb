import { isMillraceError } from '../../../errors/index.ts'
import { unlessAborted } from '../../../streams/index.ts'
import { compareLog, sessionUnknown, storeClosed } from '../../port/index.ts'
import type { Keys } from '../keys.ts'
import type { Subscriber } from './subscriber.ts'
import { createWaitList, type WaitList } from './wait-list.ts'

/**
 * Waits for frames of sessions in this process. A channel is subscribed before its tail is read, so that no frame is missed; after a
 * connection failure, all tails are read again.
 */
export interface WaitLists {
  wait(session: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /** Resolves waits after an own append, without a publication. Readers of another log learn from Redis that it was removed. */
  advance(session: string, tail: number, log: string): void
  /** Handles a publication on a session's channel. */
  receive(channel: string, message: string): void
  /** Reads every tail, because publications may have been missed. */
  recheck(): void
  /** Rejects all waits. */
  dismiss(error: Error): void
  close(error: Error): void
}

/** Options of {@link createWaitLists}. */
export interface WaitListsOptions {
  readonly keys: Keys
  readonly subscriber: () => Subscriber
  /** Reads the tail and log of a session; throws if no frame can follow. */
  readonly endOf: (session: string) => Promise<End>
  readonly forget: (session: string) => void
}

type End = { readonly tail: number; readonly log: string }

interface Entry {
  readonly session: string
  readonly channel: string
  readonly list: WaitList
  /** The awaited log, once it is known. */
  log: string | undefined
  opened: Promise<void>
  isOpen: boolean
  /** Number of own appends since the last wait. */
  appends: number
}

/** Time that a channel without waits stays subscribed, because a reader usually waits again at once. */
const IDLE_MS = 10_000

/**
 * Number of own appends without a wait after which a channel is unsubscribed. Its readers get these appends directly, but each publication
 * would still have to be received. The number is large enough to outweigh the cost of subscribing again.
 */
const MAX_APPENDS_SINCE_WAIT = 16

/** Creates the waits of a process. */
export function createWaitLists({ keys, subscriber, endOf, forget }: WaitListsOptions): WaitLists {
  const entries = new Map<string, Entry>()

  const remove = (entry: Entry, error: Error): void => {
    entry.list.dismiss(error)
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

  const wait: WaitLists['wait'] = async (session, after, signal, log) => {
    const { channel } = keys.session(session)
    for (;;) {
      signal.throwIfAborted()
      const entry = entries.get(channel) ?? open(session, channel)
      if (entry.isOpen) return waitAt(entry, after, signal, log)
      await unlessAborted(entry.opened, signal)
      // Checked again, because it may have been removed meanwhile.
    }
  }

  const dismiss = (error: Error, isMeant = (_: Entry): boolean => true): void => {
    for (const entry of entries.values()) if (isMeant(entry)) remove(entry, error)
  }
  // There is no wait that could receive the error.
  const sweep = setInterval(() => dismiss(storeClosed(), isIdle), IDLE_MS).unref()

  return {
    wait,
    dismiss,

    advance: (session, tail, log) => {
      const entry = entries.get(keys.session(session).channel)
      if (entry !== undefined && isUnused(entry)) remove(entry, storeClosed())
      else if (entry?.log === log) entry.list.advance(tail)
    },

    receive: (channel, message) => {
      const entry = entries.get(channel)
      if (entry === undefined) return
      if (message === 'gone') {
        forget(entry.session)
        remove(entry, sessionUnknown(entry.session))
      } else if (message === 'lost') ask(entry).catch(ignore)
      else if (/^\d{1,15}$/.test(message)) entry.list.advance(Number(message))
    },

    recheck: () => entries.forEach((entry) => void ask(entry).catch(ignore)),

    close: (error) => {
      clearInterval(sweep)
      dismiss(error)
    },
  }
}

/** Updates the tail of a log; throws `log_replaced` if it is another log than the awaited one. */
function advance(entry: Entry, { tail, log }: End): void {
  compareLog(entry.session, entry.log, log)
  entry.log = log
  entry.list.advance(tail)
  entry.isOpen = true
}

async function waitAt(
  entry: Entry,
  after: number,
  signal: AbortSignal,
  log: string | undefined,
): Promise<void> {
  compareLog(entry.session, log, entry.log ?? '')
  entry.appends = 0
  return entry.list.wait(after, signal)
}

function createEntry(session: string, channel: string): Entry {
  const [list, opened] = [createWaitList(), Promise.resolve()]
  return { session, channel, list, log: undefined, opened, isOpen: false, appends: 0 }
}

function isIdle({ list, isOpen }: Entry): boolean {
  return isOpen && (list.idleSince() ?? Infinity) < performance.now() - IDLE_MS
}

/** Counts an own append; returns whether the channel should be unsubscribed. */
function isUnused(entry: Entry): boolean {
  if (!entry.isOpen || entry.list.idleSince() === undefined) return false
  return ++entry.appends > MAX_APPENDS_SINCE_WAIT
}

/** Ignores store errors, because the waits have received them. */
function ignore(error: unknown): void {
  if (!isMillraceError(error)) throw error
}
