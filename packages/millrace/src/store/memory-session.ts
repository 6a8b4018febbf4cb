import { createMemoryLog, type MemoryLog } from './memory-log.ts'
import type {
  Conversation,
  HeldLease,
  SessionInfo,
  SessionRecord,
  SessionRow,
  StoredFile,
} from './store.ts'

/** One session in memory. */
export interface MemorySession {
  epoch: number
  record: SessionRecord | undefined
  readonly log: MemoryLog
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
