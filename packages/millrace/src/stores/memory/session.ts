import {
  type Branch,
  createLogId,
  type ForkPoint,
  type HeldLease,
  type SessionInfo,
  type SessionRow,
} from '../port/index.ts'
import { createMemoryInbox, type MemoryInbox } from './inbox.ts'
import { createMemoryLog, type MemoryLog } from './log.ts'
import { createMemoryParts, type MemoryParts } from './parts.ts'
import { createMemoryFiles, type MemoryFiles } from './files.ts'

/** One session in memory. */
export interface MemorySession {
  readonly logId: string
  readonly generation: number
  readonly owner: string | null
  epoch: number
  head: string | undefined
  readonly log: MemoryLog
  /** Who carries on its run, and until when. */
  lease: { readonly owner: string; readonly until: number } | undefined
  writtenAt: number
  readonly parts: MemoryParts
  readonly inbox: MemoryInbox
  readonly files: MemoryFiles
  readonly parent: MemoryParent | undefined
  /** The sessions that branch off from it, also removed ones that have branches. A branch holds its parent, so that a removed one stays as long as it is shared. */
  readonly branches: Map<MemorySession, Branch>
  isRemoved: boolean
}

/** The session that a branch shares frames, parts and files with. */
export interface MemoryParent {
  readonly session: MemorySession
  /** The name that it had. */
  readonly name: string
  /** The last frame that is shared. */
  readonly frame: number
  readonly earliest: number
}

/** The name of a session and the bounds of its store. */
export interface MemorySessionOptions {
  readonly name: string
  readonly generation: number
  readonly owner: string | null
  readonly parent?: MemoryParent | undefined
  readonly maxMessages: number
  readonly now: () => number
}

/** Creates a session that nobody has opened yet. */
export function createMemorySession(options: MemorySessionOptions): MemorySession {
  const { name, generation, owner, maxMessages, now, parent } = options
  const branches = new Map<MemorySession, Branch>()
  const start = parent && { start: parent.frame, earliest: parent.earliest }
  return {
    parent,
    branches,
    isRemoved: false,
    logId: createLogId(),
    generation,
    owner,
    epoch: 0,
    head: undefined,
    log: createMemoryLog({ maxMessages, isShared: () => branches.size > 0, ...start }),
    lease: undefined,
    writtenAt: 0,
    parts: createMemoryParts(),
    inbox: createMemoryInbox(name, now),
    files: createMemoryFiles(),
  }
}

/** The head and the fence of a session. */
export function toInfo(name: string, session: MemorySession, now: number): SessionInfo {
  const { log, logId, generation, epoch, head, owner, inbox, parent } = session
  const [held] = toHeldLease(name, session, now)
  const place = { log: logId, generation, tail: log.tail(), earliest: log.earliest() }
  const commands = { inbox: inbox.version(), pending: inbox.pending().length }
  const point = parent && { parent: toForkPoint(parent) }
  const bare = { session: name, ...place, epoch, ...commands, head, owner, ...point }
  if (held === undefined) return bare
  return { ...bare, lease: { owner: held.owner, hasLapsed: held.hasLapsed } }
}

/** The place at which a branch leaves its parent. */
export function toForkPoint({ session, name, frame }: MemoryParent): ForkPoint {
  return { session: name, log: session.logId, frame }
}

/** The row of a session in a list. */
export function toRow(name: string, { log, head, owner }: MemorySession): SessionRow {
  return { session: name, tail: log.tail(), head, owner }
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
