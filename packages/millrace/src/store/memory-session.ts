import { createLogId } from './log-id.ts'
import { createMemoryInbox, type MemoryInbox } from './memory-inbox.ts'
import { createMemoryLog, type MemoryLog } from './memory-log.ts'
import { createMemoryParts, type MemoryParts } from './memory-parts.ts'
import type { HeldLease, SessionInfo, SessionRow, StoredFile } from './store.ts'

/** One session in memory. */
export interface MemorySession {
  readonly logId: string
  readonly generation: number
  epoch: number
  head: string | undefined
  readonly log: MemoryLog
  /** Who carries on its run, and until when. */
  lease: { readonly owner: string; readonly until: number } | undefined
  writtenAt: number
  readonly parts: MemoryParts
  readonly inbox: MemoryInbox
  readonly files: Map<string, StoredFile>
}

/** The name of a session and the bounds of its store. */
export interface MemorySessionOptions {
  readonly name: string
  readonly generation: number
  readonly maxMessages: number
  readonly now: () => number
}

/** Creates a session that nobody has opened yet. */
export function createMemorySession(options: MemorySessionOptions): MemorySession {
  const { name, generation, maxMessages, now } = options
  return {
    logId: createLogId(),
    generation,
    epoch: 0,
    head: undefined,
    log: createMemoryLog(maxMessages),
    lease: undefined,
    writtenAt: 0,
    parts: createMemoryParts(),
    inbox: createMemoryInbox(name, now),
    files: new Map(),
  }
}

/** The head and the fence of a session. */
export function toInfo(name: string, session: MemorySession, now: number): SessionInfo {
  const { log, logId, generation, epoch, head, inbox } = session
  const [held] = toHeldLease(name, session, now)
  const place = { log: logId, generation, tail: log.tail(), earliest: log.earliest() }
  const commands = { inbox: inbox.version(), pending: inbox.pending().length }
  const bare = { session: name, ...place, epoch, ...commands, head }
  if (held === undefined) return bare
  return { ...bare, lease: { owner: held.owner, hasLapsed: held.hasLapsed } }
}

/** The row of a session in a list. */
export function toRow(name: string, { log, head }: MemorySession): SessionRow {
  return { session: name, tail: log.tail(), head }
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
