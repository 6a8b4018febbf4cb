import {
  createWaiters,
  REMEMBERED_MS,
  sessionUnknown,
  storeClosed,
  type Waiters,
} from '../port/index.ts'
import { createMemorySession, type MemoryParent, type MemorySession } from './session.ts'

/** Limits of a memory store. */
export interface MemoryStoreOptions {
  /** Maximum number of frames of a session. Older ones are dropped. */
  readonly maxMessagesPerSession?: number
  /** Maximum number of sessions. The session with the oldest write is dropped first. */
  readonly maxSessions?: number
  /** Clock of the store, in milliseconds. */
  readonly now?: () => number
}

/** All sessions in memory, in the order of their last write. */
export interface MemorySessions {
  readonly waiters: Waiters
  get(name: string): MemorySession | undefined
  /** Throws `not_found` for an unknown session. */
  find(name: string): MemorySession
  /** Returns a session. Creates it if there is none, after dropping others over the limit; with a parent, it is a branch. */
  provide(name: string, owner: string | null, parent?: MemoryParent): MemorySession
  /** Moves a session to the end and records the time of the write. */
  touch(name: string): void
  /** Removes a session and rejects the waits of its readers; false if there was none. */
  remove(name: string): boolean
  newestFirst(): readonly (readonly [string, MemorySession])[]
  close(): void
}

/** Creates an empty set of sessions. */
export function createMemorySessions({
  maxMessagesPerSession = 200_000,
  maxSessions = 1_000,
  now = Date.now,
}: MemoryStoreOptions): MemorySessions {
  // Keys of a Map keep their insertion order.
  const sessions = new Map<string, MemorySession>()
  const waiters = createWaiters()
  const gone = createGone(now)
  const bounds = { maxMessages: maxMessagesPerSession, now }
  let isClosed = false

  const get = (name: string): MemorySession | undefined => {
    if (isClosed) throw storeClosed()
    return sessions.get(name)
  }

  const find = (name: string): MemorySession => {
    const session = get(name)
    if (session === undefined) throw sessionUnknown(name)
    return session
  }

  const touch = (name: string): void => {
    const session = find(name)
    sessions.delete(name)
    sessions.set(name, session)
    session.writtenAt = now()
  }

  const drop = (name: string, session: MemorySession): void => {
    sessions.delete(name)
    release(session)
    gone.add(name, session.generation)
    waiters.dismiss(name, sessionUnknown(name))
  }

  const remove = (name: string): boolean => {
    const session = get(name)
    if (session !== undefined) drop(name, session)
    return session !== undefined
  }

  const makeRoom = (): void => {
    for (const [name, session] of sessions) {
      if (sessions.size < maxSessions) return
      drop(name, session)
    }
  }

  const provide = (name: string, owner: string | null, parent?: MemoryParent): MemorySession => {
    const known = get(name)
    if (known !== undefined) return known
    const generation = gone.take(name) + 1
    const session = createMemorySession({ ...bounds, name, generation, owner, parent })
    // Must precede `makeRoom`, which may drop the parent.
    parent?.session.branches.set(session, { session: name, frame: parent.frame })
    makeRoom()
    sessions.set(name, session)
    return session
  }

  const close = (): void => {
    isClosed = true
    waiters.dismissAll(storeClosed())
    sessions.clear()
  }

  const newestFirst = () => [...sessions].reverse()
  return { waiters, get, find, provide, touch, remove, newestFirst, close }
}

/** Marks a session as removed. Unless branches need it, ends its share of the parent, and the share of each removed ancestor. */
function release(session: MemorySession): void {
  session.isRemoved = true
  const { parent, branches } = session
  if (branches.size > 0 || parent === undefined) return
  parent.session.branches.delete(session)
  if (parent.session.isRemoved) release(parent.session)
}

/** Maximum number of remembered names. The oldest are dropped first. */
const MAX_GONE = 10_000

/** Remembers the generations of removed sessions. */
function createGone(now: () => number) {
  // Keys of a Map keep their insertion order.
  const names = new Map<string, { readonly generation: number; readonly at: number }>()
  return {
    add: (name: string, generation: number): void => {
      names.set(name, { generation, at: now() })
      const [oldest] = names.keys()
      if (names.size > MAX_GONE && oldest !== undefined) names.delete(oldest)
    },
    /** Returns the generation of a removed session and forgets it; 0 for a new name. */
    take: (name: string): number => {
      const known = names.get(name)
      names.delete(name)
      return known !== undefined && known.at > now() - REMEMBERED_MS ? known.generation : 0
    },
  }
}
