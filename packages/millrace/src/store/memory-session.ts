import type { MillraceError } from '../errors/index.ts'
import { createMemoryLog, type MemoryLog } from './memory-log.ts'
import type {
  Conversation,
  HeldLease,
  SessionInfo,
  SessionRecord,
  SessionRow,
  StoredFile,
} from './store.ts'

interface Waiter {
  readonly after: number
  wake(error?: MillraceError): void
}

/** One session in memory, and those who wait for more of it. */
export interface MemorySession {
  epoch: number
  record: SessionRecord | undefined
  readonly log: MemoryLog
  readonly waiters: Set<Waiter>
  /** Who carries on its run, and until when. */
  lease: { readonly owner: string; readonly until: number } | undefined
  writtenAt: number
  /** By number, the oldest first. */
  readonly conversations: Map<number, Conversation>
  readonly files: Map<string, StoredFile>
}

/** Builds a session that nobody has opened yet. */
export function createMemorySession(maxMessages: number): MemorySession {
  return {
    epoch: 0,
    record: undefined,
    log: createMemoryLog(maxMessages),
    waiters: new Set(),
    lease: undefined,
    writtenAt: 0,
    conversations: new Map(),
    files: new Map(),
  }
}

/** What a store tells of a session. */
export function toInfo(name: string, session: MemorySession, now: number): SessionInfo {
  const { log, epoch, record } = session
  const [held] = toHeldLease(name, session, now)
  const bare = { session: name, tail: log.tail(), earliest: log.earliest(), epoch, record }
  if (held === undefined) return bare
  return { ...bare, lease: { owner: held.owner, hasLapsed: held.hasLapsed } }
}

/** What a list tells of a session. */
export function toRow(name: string, { log, record }: MemorySession): SessionRow {
  return { session: name, tail: log.tail(), summary: record?.summary }
}

/** What a store tells of a lease, if there is one. */
export function toHeldLease(
  name: string,
  { lease }: MemorySession,
  now: number,
): readonly (HeldLease & { readonly until: number })[] {
  if (lease === undefined) return []
  const { owner, until } = lease
  return [{ session: name, owner, until, hasLapsed: until <= now }]
}

/** Wakes those for whom there is something to read. */
export function wakeReaders({ log, waiters }: MemorySession): void {
  for (const waiter of waiters) if (waiter.after < log.tail()) waiter.wake()
}

/** Wakes everybody with an error, because there will be nothing more. */
export function dismissReaders({ waiters }: MemorySession, error: MillraceError): void {
  for (const waiter of waiters) waiter.wake(error)
}

/** Resolves when there is a message after an id, without asking again and again. */
export function waitForMessage(
  { waiters, log }: MemorySession,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      waiters.delete(waiter)
      signal.removeEventListener('abort', abort)
    }
    const abort = (): void => {
      settle()
      reject(signal.reason as Error)
    }
    const waiter: Waiter = {
      after,
      wake: (error) => {
        settle()
        if (error === undefined) resolve()
        else reject(error)
      },
    }
    if (signal.aborted) return abort()
    if (log.tail() > after) return resolve()
    waiters.add(waiter)
    signal.addEventListener('abort', abort, { once: true })
  })
}
