import { MillraceError } from '../errors/index.ts'
import { createMemorySession, dismissReaders, type MemorySession } from './memory-session.ts'

/** The bounds of a store in memory. */
export interface MemoryStoreOptions {
  /** Older messages of a session are dropped beyond this many. */
  readonly maxMessagesPerSession?: number
  /** The session that was written to longest ago is dropped beyond this many. */
  readonly maxSessions?: number
}

/** All sessions in memory, in the order in which they were last written to. */
export interface MemorySessions {
  get(name: string): MemorySession | undefined
  /** Throws `not_found` where {@link MemorySessions.get} gives nothing. */
  find(name: string): MemorySession
  /** Makes a session if there is none, and room for it. */
  provide(name: string): MemorySession
  /** Puts a session last, because it was written to. */
  touch(name: string): void
  newestFirst(): readonly (readonly [string, MemorySession])[]
  close(): void
}

/** Builds an empty set of sessions. */
export function createMemorySessions({
  maxMessagesPerSession = 200_000,
  maxSessions = 1_000,
}: MemoryStoreOptions): MemorySessions {
  // A Map keeps the order in which keys were set.
  const sessions = new Map<string, MemorySession>()
  let isClosed = false

  const get = (name: string): MemorySession | undefined => {
    if (isClosed) throw closedStore()
    return sessions.get(name)
  }

  const find = (name: string): MemorySession => {
    const session = get(name)
    if (session === undefined) throw missing(name)
    return session
  }

  const touch = (name: string): void => {
    const session = find(name)
    sessions.delete(name)
    sessions.set(name, session)
  }

  const makeRoom = (): void => {
    for (const [name, session] of sessions) {
      if (sessions.size < maxSessions) return
      sessions.delete(name)
      dismissReaders(session, missing(name))
    }
  }

  const provide = (name: string): MemorySession => {
    const known = get(name)
    if (known !== undefined) return known
    makeRoom()
    const session = createMemorySession(maxMessagesPerSession)
    sessions.set(name, session)
    return session
  }

  const close = (): void => {
    isClosed = true
    for (const session of sessions.values()) dismissReaders(session, closedStore())
    sessions.clear()
  }

  return { get, find, provide, touch, newestFirst: () => [...sessions].reverse(), close }
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
