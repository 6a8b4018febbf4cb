import { checkOptions, type OptionTypes } from '../../errors/index.ts'
import { createListeners } from '../../streams/index.ts'
import {
  type Append,
  checkHead,
  checkOwner,
  compareLog,
  type FilePort,
  inboxDiffers,
  type InboxPort,
  type KeyedPage,
  type Lease,
  leaseLost,
  type SeenSession,
  type Store,
  tailDiffers,
  toKeyedPage,
  type WakePort,
} from '../port/index.ts'
import { createBranches, findFile, listFileIds, readFrames, readParts } from './branches.ts'
import { type MemorySession, toHeldLease, toInfo, toRow } from './session.ts'
import { createMemorySessions, type MemorySessions, type MemoryStoreOptions } from './sessions.ts'

const types: OptionTypes<MemoryStoreOptions> = {
  maxMessagesPerSession: 'number',
  maxSessions: 'number',
  now: 'function',
}

/** Creates a store that keeps sessions in this process. They are lost when it ends. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions('createMemoryStore', options, types)
  const { now = Date.now } = options
  const sessions = createMemorySessions(options)
  return {
    isDurable: false,

    info: async (name) => {
      const session = sessions.get(name)
      return session === undefined ? undefined : toInfo(name, session, now())
    },

    read: async (name, after, limit, named) => {
      const session = sessions.find(name)
      compareLog(name, named, session.logId)
      return readFrames(session, after, limit)
    },

    trim: async (name, before, named) => {
      const { log, logId } = sessions.find(name)
      compareLog(name, named, logId)
      log.trim(before)
    },

    wait: async (name, after, signal, named) => {
      const { log, logId } = sessions.find(name)
      compareLog(name, named, logId)
      if (signal.aborted || log.tail() <= after) await sessions.waiters.wait(name, after, signal)
    },

    list: async ({ limit, offset, owner }) => {
      checkOwner(owner)
      const all = sessions
        .newestFirst()
        .filter(([, session]) => owner === undefined || session.owner === owner)
      const rows = all.slice(offset, offset + limit).map(([name, session]) => toRow(name, session))
      return { rows, total: all.length }
    },

    ping: async () => void sessions.get(''),

    close: async () => sessions.close(),

    ...createWriting(sessions, now),
    ...createKeeping(sessions, now),
    ...createInbox(sessions),
    ...createBranches(sessions, now),
    ...createWake(),
  }
}

/** Creates the operations of a writer, and those on leases. */
function createWriting(
  sessions: MemorySessions,
  now: () => number,
): Pick<Store, 'open' | 'append' | 'renew' | 'leases'> {
  const toLease = ({ owner, ms }: Lease) => ({ owner, until: now() + ms })
  return {
    open: async (name, lease, epoch, owner = null) => {
      checkOwner(owner)
      const known = sessions.get(name)
      const current = known?.epoch ?? 0
      if (epoch !== undefined && epoch !== current) throw leaseLost(name, epoch, current)
      const session = sessions.provide(name, owner)
      session.epoch += 1
      session.lease = lease && toLease(lease)
      if (known === undefined) sessions.touch(name)
      return toInfo(name, session, now())
    },

    append: async (append) => {
      const session = sessions.find(append.session)
      const { lease, head, parts = [], commands = [] } = append
      checkHead(head)
      compareEpoch(session, append)
      compareTail(session, append)
      session.inbox.change(commands)
      session.log.append(append.lines)
      session.head = head ?? session.head
      session.parts.change(parts)
      if (lease !== undefined) session.lease = lease === 'release' ? undefined : toLease(lease)
      if (append.isQuiet !== true) sessions.touch(append.session)
      sessions.waiters.wake(append.session, session.log.tail())
      return { tail: session.log.tail(), inbox: session.inbox.version() }
    },

    renew: async (name, epoch, lease, log) => {
      const session = sessions.find(name)
      compareEpoch(session, { session: name, epoch, log })
      if (session.lease !== undefined) session.lease = toLease(lease)
      return { inbox: session.inbox.version() }
    },

    leases: async (limit, after) => {
      const held = sessions
        .newestFirst()
        .flatMap(([name, session]) => toHeldLease(name, session, now()))
        .map((lease) => ({ ...lease, key: toKey(lease) }))
      return toPage(held, limit, after, ({ session, owner, hasLapsed }) => ({
        session,
        owner,
        hasLapsed,
      }))
    },
  }
}

/** Creates the operations on parts and files, and the removal of sessions. */
function createKeeping(
  sessions: MemorySessions,
  now: () => number,
): FilePort & Pick<Store, 'parts' | 'remove' | 'prune'> {
  return {
    parts: async (name, collection, range, log) => {
      const session = sessions.get(name)
      if (session !== undefined) compareLog(name, log, session.logId)
      return session === undefined ? [] : readParts(session, collection, range)
    },

    putFile: async (name, file) => {
      const { files, log } = sessions.find(name)
      files.put(file, log.tail())
    },

    file: async (name, id) => {
      const session = sessions.get(name)
      return session && findFile(session, id)
    },

    fileIds: async (name) => {
      const session = sessions.get(name)
      return session === undefined ? [] : listFileIds(session)
    },

    remove: async (name, seen) => {
      const session = sessions.get(name)
      if (session === undefined || (seen !== undefined && !isSame(session, seen))) return false
      return sessions.remove(name)
    },

    prune: async (idleMs, isKept = () => false) => {
      const before = now() - idleMs
      const idle = sessions
        .newestFirst()
        .filter(([, { lease, writtenAt }]) => lease === undefined && writtenAt <= before)
        .filter(([, { head }]) => !isKept(head))
      return idle.filter(([name]) => sessions.remove(name)).length
    },
  }
}

/** Creates the operations on commands and claims. */
function createInbox(sessions: MemorySessions): InboxPort {
  const find = (name: string, log: string | undefined) => {
    const session = sessions.find(name)
    compareLog(name, log, session.logId)
    return session.inbox
  }
  const look = (name: string, log: string | undefined) =>
    sessions.get(name) === undefined ? undefined : find(name, log)
  return {
    submit: async (name, command, log) => find(name, log).submit(command),
    settle: async (name, command, log) => find(name, log).settle(command),
    command: async (name, key, log) => look(name, log)?.get(key),
    pending: async (name, log) => look(name, log)?.pending() ?? [],
    commands: async (name, after, limit, log) => look(name, log)?.list(after, limit) ?? [],
    claim: async (name, claim, holder, ms) => find(name, undefined).claim(claim, holder, ms),
    unattended: async (limit, after) => {
      const waiting = sessions.newestFirst().flatMap(([name, { lease, inbox, logId }]) => {
        const pending = inbox.pending().length
        const isUnattended = lease === undefined && pending > 0
        return isUnattended
          ? { key: name, session: name, log: logId, inbox: inbox.version(), pending }
          : []
      })
      return toPage(waiting, limit, after, ({ key: _, ...row }) => row)
    },
  }
}

/** Returns the rows with the lowest keys above `after`. */
function toPage<Row extends { readonly key: string }, Shown>(
  rows: readonly Row[],
  limit: number,
  after: string | undefined,
  show: (row: Row) => Shown,
): KeyedPage<Shown> {
  const found = rows.filter(({ key }) => after === undefined || key > after)
  const sorted = found.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit)
  return toKeyedPage(sorted, limit, { toRow: show, toKey: ({ key }) => key })
}

/** Returns a text that sorts as a lease lapses. */
function toKey({ session, until }: { readonly session: string; readonly until: number }): string {
  return `${String(Math.round(until)).padStart(16, '0')} ${session}`
}

/** Whether a session is as a caller has read it, without a lease. */
function isSame({ log, logId, epoch, inbox, lease }: MemorySession, seen: SeenSession): boolean {
  const isWritten = seen.log !== logId || seen.epoch !== epoch || seen.tail !== log.tail()
  return lease === undefined && !isWritten && seen.inbox === inbox.version()
}

/** Creates the wake port. All listeners are in this process. */
function createWake(): WakePort {
  const listeners = createListeners<[session: string, command: string]>()
  return {
    send: async (session, command) => listeners.notify(session, command),
    onCommand: listeners.subscribe,
  }
}

/** Compares the fence. Do not await between these comparisons and the write. [LOG-4] */
function compareEpoch(
  { epoch, logId }: MemorySession,
  writer: { readonly session: string; readonly epoch: number; readonly log?: string | undefined },
): void {
  if (writer.epoch === epoch && (writer.log ?? logId) === logId) return
  throw leaseLost(writer.session, writer.epoch, epoch)
}

function compareTail({ log, inbox }: MemorySession, append: Append): void {
  const { session, tail } = append
  if (tail !== log.tail()) throw tailDiffers(session, tail, log.tail())
  const version = inbox.version()
  if ((append.inbox ?? version) !== version) throw inboxDiffers(session, append.inbox ?? 0, version)
}
