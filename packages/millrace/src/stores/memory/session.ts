import {
  type Branch,
  createLogId,
  type ForkPoint,
  type HeldLease,
  type SessionInfo,
  type SessionRow,
  type StoredFile,
} from '../port/index.ts'
import { createMemoryInbox, type MemoryInbox } from './inbox.ts'
import { createMemoryLog, type MemoryLog } from './log.ts'
import { createMemoryParts, type MemoryParts } from './parts.ts'

/** A session in memory. */
export interface MemorySession {
  readonly logId: string
  readonly generation: number
  readonly owner: string | null
  epoch: number
  head: string | undefined
  readonly log: MemoryLog
  /** Holder and end time of the lease on its run. */
  lease: { readonly owner: string; readonly until: number } | undefined
  writtenAt: number
  readonly parts: MemoryParts
  readonly inbox: MemoryInbox
  readonly files: MemoryFiles
  readonly parent: MemoryParent | undefined
  /**
   * Branches of this session, including removed ones that have branches. A branch references its parent, so a removed parent remains in
   * memory while it is shared.
   */
  readonly branches: Map<MemorySession, Branch>
  isRemoved: boolean
}

/** The parent of a branch, which shares frames, parts and files. */
export interface MemoryParent {
  readonly session: MemorySession
  /** Name of the parent when the branch was created. */
  readonly name: string
  /** Id of the last shared frame. */
  readonly frame: number
  readonly earliest: number
}

/** Properties of a new session and the limits of its store. */
interface MemorySessionOptions {
  readonly name: string
  readonly generation: number
  readonly owner: string | null
  readonly parent?: MemoryParent | undefined
  readonly maxMessages: number
  readonly now: () => number
}

/** Creates a session with epoch 0. */
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

/** Returns the facts that `info` reports about a session. */
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

/** Returns the point where a branch leaves its parent. */
export function toForkPoint({ session, name, frame }: MemoryParent): ForkPoint {
  return { session: name, log: session.logId, frame }
}

/** Returns the row of a session in a list. */
export function toRow(name: string, { log, head, owner }: MemorySession): SessionRow {
  return { session: name, tail: log.tail(), head, owner }
}

/** Returns the lease of a session with its expiry; an empty list if it has none. */
export function toHeldLease(
  name: string,
  { lease }: MemorySession,
  now: number,
): readonly (HeldLease & { readonly until: number })[] {
  if (lease === undefined) return []
  const { owner, until } = lease
  return [{ session: name, owner, until, hasLapsed: until <= now }]
}

/** Files of a session, each with the tail of the log when it was stored. */
type MemoryFiles = ReturnType<typeof createMemoryFiles>

function createMemoryFiles() {
  const files = new Map<string, { readonly file: StoredFile; readonly tail: number }>()
  return {
    put: (file: StoredFile, tail: number) => void files.set(file.id, { file, tail }),
    /** Returns a file that was stored while the log ended at or before a frame. */
    get: (id: string, frame: number): StoredFile | undefined => {
      const kept = files.get(id)
      return kept !== undefined && kept.tail <= frame ? kept.file : undefined
    },
    ids: (frame: number): readonly string[] =>
      [...files].flatMap(([id, { tail }]) => (tail <= frame ? [id] : [])),
  }
}
