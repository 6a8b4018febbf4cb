import { leaseLost, tailDiffers } from './fence-errors.ts'
import { type MemorySession, toHeldLease, toInfo, toRow } from './memory-session.ts'
import {
  createMemorySessions,
  type MemorySessions,
  type MemoryStoreOptions,
} from './memory-sessions.ts'
import type { Append, Lease, Store } from './store.ts'

/** Keeps sessions in this process; they are gone when it ends. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { now = Date.now } = options
  const sessions = createMemorySessions(options)
  return {
    isDurable: false,

    info: async (name) => {
      const session = sessions.get(name)
      return session === undefined ? undefined : toInfo(name, session, now())
    },

    read: async (name, after, limit) => sessions.find(name).log.read(after, limit),

    wait: async (name, after, signal) => {
      const { log } = sessions.find(name)
      if (signal.aborted || log.tail() <= after) await sessions.waiters.wait(name, after, signal)
    },

    list: async ({ limit, offset }) => {
      const all = sessions.newestFirst()
      const rows = all.slice(offset, offset + limit).map(([name, session]) => toRow(name, session))
      return { rows, total: all.length }
    },

    ping: async () => void sessions.get(''),

    close: async () => sessions.close(),

    ...createWriting(sessions, now),
    ...createKeeping(sessions, now),
    ...createCommands(),
  }
}

/** What only the writer of a session may do, and the leases that go with it. */
function createWriting(
  sessions: MemorySessions,
  now: () => number,
): Pick<Store, 'open' | 'append' | 'renew' | 'leases'> {
  const toLease = ({ owner, ms }: Lease) => ({ owner, until: now() + ms })
  return {
    open: async (name, lease, epoch) => {
      const current = sessions.get(name)?.epoch ?? 0
      if (epoch !== undefined && epoch !== current) throw leaseLost(name, epoch, current)
      const session = sessions.provide(name)
      session.epoch += 1
      session.lease = lease && toLease(lease)
      sessions.touch(name)
      return toInfo(name, session, now())
    },

    append: async (append) => {
      const session = sessions.find(append.session)
      const { lease, conversation } = append
      compareEpoch(session, append)
      compareTail(session, append)
      session.log.append(append.lines)
      session.record = append.record ?? session.record
      if (conversation !== undefined) session.conversations.set(conversation.number, conversation)
      if (lease !== undefined) session.lease = lease === 'release' ? undefined : toLease(lease)
      sessions.touch(append.session)
      sessions.waiters.wake(append.session, session.log.tail())
      return session.log.tail()
    },

    renew: async (name, epoch, lease) => {
      const session = sessions.find(name)
      compareEpoch(session, { session: name, epoch })
      if (session.lease !== undefined) session.lease = toLease(lease)
    },

    leases: async (limit) =>
      sessions
        .newestFirst()
        .flatMap(([name, session]) => toHeldLease(name, session, now()))
        .toSorted((a, b) => a.until - b.until)
        .slice(0, limit)
        .map(({ session, owner, hasLapsed }) => ({ session, owner, hasLapsed })),
  }
}

/** History and files, and what becomes of sessions that nobody wants any more. */
function createKeeping(
  sessions: MemorySessions,
  now: () => number,
): Pick<Store, 'conversations' | 'putFile' | 'file' | 'fileIds' | 'remove' | 'prune'> {
  return {
    conversations: async (name, { before = Infinity, limit }) =>
      [...(sessions.get(name)?.conversations.values() ?? [])]
        .filter(({ number }) => number < before)
        .toSorted((a, b) => b.number - a.number)
        .slice(0, limit),

    putFile: async (name, file) => void sessions.find(name).files.set(file.id, file),

    file: async (name, id) => sessions.get(name)?.files.get(id),

    fileIds: async (name) => [...(sessions.get(name)?.files.keys() ?? [])],

    remove: async (name) => sessions.remove(name),

    prune: async (idleMs) => {
      const idle = sessions
        .newestFirst()
        .filter(([, { lease, writtenAt }]) => lease === undefined && writtenAt <= now() - idleMs)
      return idle.filter(([name]) => sessions.remove(name)).length
    },
  }
}

/** All who listen are in this process. */
function createCommands(): Pick<Store, 'send' | 'onCommand'> {
  const listeners = new Set<(session: string, command: string) => void>()
  return {
    send: async (session, command) => {
      for (const listener of listeners) listener(session, command)
    },

    onCommand: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The fence: nothing may be awaited between these comparisons and the write. [LOG-4] */
function compareEpoch(
  { epoch }: MemorySession,
  writer: { readonly session: string; readonly epoch: number },
): void {
  if (writer.epoch === epoch) return
  throw leaseLost(writer.session, writer.epoch, epoch)
}

function compareTail({ log }: MemorySession, { session, tail }: Append): void {
  if (tail !== log.tail()) throw tailDiffers(session, tail, log.tail())
}
