import { MillraceError } from '../errors/index.ts'
import { createMemoryLog, type MemoryLog } from './memory-log.ts'
import type { Append, SessionInfo, SessionRecord, Store } from './store.ts'

/** The bounds of a store in memory. */
export interface MemoryStoreOptions {
  /** Older messages of a session are dropped beyond this many. */
  readonly maxMessagesPerSession?: number
  /** The session that was written to longest ago is dropped beyond this many. */
  readonly maxSessions?: number
}

interface Waiter {
  readonly after: number
  wake(error?: MillraceError): void
}

interface Session {
  epoch: number
  record: SessionRecord | undefined
  readonly log: MemoryLog
  readonly waiters: Set<Waiter>
}

/** Keeps sessions in this process; they are gone when it ends. */
export function createMemoryStore({
  maxMessagesPerSession = 200_000,
  maxSessions = 1_000,
}: MemoryStoreOptions = {}): Store {
  /** In the order of the last write, because a Map keeps the order in which keys were set. */
  const sessions = new Map<string, Session>()
  let closed = false

  const find = (name: string): Session => {
    if (closed) throw closedStore()
    const session = sessions.get(name)
    if (session === undefined) throw missing(name)
    return session
  }

  const touch = (name: string, session: Session): void => {
    sessions.delete(name)
    sessions.set(name, session)
  }

  const dropOldest = (): void => {
    for (const [name, session] of sessions) {
      if (sessions.size <= maxSessions) return
      sessions.delete(name)
      wakeAll(session, missing(name))
    }
  }

  return {
    open: async (name) => {
      if (closed) throw closedStore()
      const session = sessions.get(name) ?? createSession(maxMessagesPerSession)
      session.epoch += 1
      touch(name, session)
      dropOldest()
      return toInfo(name, session)
    },

    info: async (name) => {
      if (closed) throw closedStore()
      const session = sessions.get(name)
      return session === undefined ? undefined : toInfo(name, session)
    },

    append: async (append) => {
      const session = find(append.session)
      compare(session, append)
      session.log.append(append.lines)
      if (append.record !== undefined) session.record = append.record
      touch(append.session, session)
      wakeBehind(session)
      return session.log.tail()
    },

    read: async (name, after, limit) => find(name).log.read(after, limit),

    wait: async (name, after, signal) => {
      const session = find(name)
      signal.throwIfAborted()
      if (session.log.tail() <= after) await waitForNews(session, after, signal)
    },

    list: async ({ limit, offset }) => {
      if (closed) throw closedStore()
      const newestFirst = [...sessions].reverse().slice(offset, offset + limit)
      const rows = newestFirst.map(([name, session]) => toRow(name, session))
      return { rows, total: sessions.size }
    },

    close: async () => {
      closed = true
      for (const session of sessions.values()) wakeAll(session, closedStore())
      sessions.clear()
    },
  }
}

function createSession(maxMessages: number): Session {
  return { epoch: 0, record: undefined, log: createMemoryLog(maxMessages), waiters: new Set() }
}

function toInfo(name: string, { log, epoch, record }: Session): SessionInfo {
  return { session: name, tail: log.tail(), earliest: log.earliest(), epoch, record }
}

function toRow(name: string, { log, record }: Session) {
  return { session: name, tail: log.tail(), summary: record?.summary }
}

/** The fence: nothing may await between this comparison and the write. [LOG-4] */
function compare({ epoch, log }: Session, append: Append): void {
  if (append.epoch !== epoch) {
    throw new MillraceError(
      'lease_lost',
      `Session ${append.session} has a newer writer (epoch ${epoch}, not ${append.epoch}); stop this run.`,
      { details: { epoch } },
    )
  }
  if (append.tail === log.tail()) return
  throw new MillraceError(
    'conflict',
    `Session ${append.session} ends at ${log.tail()}, not at ${append.tail}; nothing was stored. Look again before writing.`,
    { details: { tail: log.tail() } },
  )
}

function wakeBehind(session: Session): void {
  const tail = session.log.tail()
  for (const waiter of session.waiters) if (waiter.after < tail) waiter.wake()
}

function wakeAll(session: Session, error: MillraceError): void {
  for (const waiter of session.waiters) waiter.wake(error)
}

function waitForNews(session: Session, after: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      session.waiters.delete(waiter)
      signal.removeEventListener('abort', abort)
    }
    const abort = (): void => {
      settle()
      reject(signal.reason)
    }
    const waiter: Waiter = {
      after,
      wake: (error) => {
        settle()
        if (error === undefined) resolve()
        else reject(error)
      },
    }
    session.waiters.add(waiter)
    signal.addEventListener('abort', abort, { once: true })
  })
}

function missing(name: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no session ${name}; it was never started, or it was dropped to make room.`,
  )
}

function closedStore(): MillraceError {
  return new MillraceError('internal', 'The store is closed; nothing can be read or written.')
}
