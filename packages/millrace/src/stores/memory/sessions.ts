import {
  createWaiters,
  REMEMBERED_MS,
  sessionUnknown,
  storeClosed,
  type Waiters,
} from '../port/index.ts'
import { createMemorySession, type MemoryParent, type MemorySession } from './session.ts'

/** The bounds of a store in memory. */
export interface MemoryStoreOptions {
  /** Older messages of a session are dropped beyond this many. */
  readonly maxMessagesPerSession?: number
  /** The session that was written to longest ago is dropped beyond this many. */
  readonly maxSessions?: number
  /** The store's clock, in milliseconds. */
  readonly now?: () => number
}

/** All sessions in memory, in the order in which they were last written to. */
export interface MemorySessions {
  readonly waiters: Waiters
  get(name: string): MemorySession | undefined
  /** Throws `not_found` where {@link MemorySessions.get} gives nothing. */
  find(name: string): MemorySession
  /** Makes a session of an owner if there is none, and room for it; a branch if it has a parent. */
  provide(name: string, owner: string | null, parent?: MemoryParent): MemorySession
  /** Puts a session last, because it was written to. */
  touch(name: string): void
  /** Forgets a session and dismisses those who read it; false if there was none. */
  remove(name: string): boolean
  newestFirst(): readonly (readonly [string, MemorySession])[]
  close(): void
}

/** Builds an empty set of sessions. */
export function createMemorySessions({
  maxMessagesPerSession = 200_000,
  maxSessions = 1_000,
  now = Date.now,
}: MemoryStoreOptions): MemorySessions {
  // A Map keeps the order in which keys were set.
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
    // Before room is made: its parent may be the one that is dropped.
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

/** Marks a session as removed, and ends the share that it and its removed ancestors have in their parents, unless branches still need it. */
function release(session: MemorySession): void {
  session.isRemoved = true
  const { parent, branches } = session
  if (branches.size > 0 || parent === undefined) return
  parent.session.branches.delete(session)
  if (parent.session.isRemoved) release(parent.session)
}

/** So many removed names are remembered; the oldest make room. */
const MAX_GONE = 10_000

/** Remembers how many logs sessions had that were removed. */
function createGone(now: () => number) {
  // A Map keeps the order in which keys were set.
  const names = new Map<string, { readonly generation: number; readonly at: number }>()
  return {
    add: (name: string, generation: number): void => {
      names.set(name, { generation, at: now() })
      const [oldest] = names.keys()
      if (names.size > MAX_GONE && oldest !== undefined) names.delete(oldest)
    },
    /** The generation of a name that begins again; 0 if it is new. */
    take: (name: string): number => {
      const known = names.get(name)
      names.delete(name)
      return known !== undefined && known.at > now() - REMEMBERED_MS ? known.generation : 0
    },
  }
}
