import {
  type BranchPort,
  checkFork,
  checkHead,
  checkOwner,
  compareFork,
  compareLog,
  cursorTrimmed,
  type Fork,
  isShared,
  joinParts,
  type LogEntry,
  type Part,
  type PartRange,
  type StoredFile,
} from '../port/index.ts'
import { type MemoryParent, type MemorySession, toForkPoint, toInfo } from './session.ts'
import type { MemorySessions } from './sessions.ts'

/** A log that a branch reads, with the last shared frame. */
interface SharedLog {
  readonly session: MemorySession
  readonly frame: number
}

/** Returns the logs of a session and its ancestors, its own first. */
function logsOf(session: MemorySession): readonly SharedLog[] {
  const logs: SharedLog[] = [{ session, frame: Number.MAX_SAFE_INTEGER }]
  for (let { parent } = session; parent !== undefined; { parent } = parent.session)
    logs.push(parent)
  return logs
}

/** Reads frames of a session, including shared ones. */
export function readFrames(
  session: MemorySession,
  after: number,
  limit: number,
): readonly LogEntry[] {
  const earliest = session.log.earliest()
  if (after < earliest - 1) throw cursorTrimmed(after, earliest)
  const found: LogEntry[] = []
  for (const { session: owner, frame } of logsOf(session).toReversed()) {
    const last = after + found.length
    if (last < frame)
      found.push(...owner.log.read(last, Math.min(limit - found.length, frame - last)))
  }
  return found
}

/** Reads parts of a session, including shared ones. */
export function readParts(
  session: MemorySession,
  collection: string,
  range: PartRange,
): readonly Part[] {
  if (!isShared(collection)) return session.parts.read(collection, range)
  const lists = logsOf(session).map(({ session: { parts }, frame }) =>
    parts.read(collection, range, frame),
  )
  return joinParts(lists, range)
}

/** Finds a file of a session, including shared ones. */
export function findFile(session: MemorySession, id: string): StoredFile | undefined {
  for (const { session: owner, frame } of logsOf(session)) {
    const file = owner.files.get(id, frame)
    if (file !== undefined) return file
  }
  return undefined
}

/** Returns the ids of a session's files and of those that it shares. */
export function listFileIds(session: MemorySession): readonly string[] {
  const ids = logsOf(session).flatMap(({ session: { files }, frame }) => files.ids(frame))
  return [...new Set(ids)]
}

/** Creates the branch port. */
export function createBranches(sessions: MemorySessions, now: () => number): BranchPort {
  return {
    fork: async (fork) => {
      const { from, log, to, head, owner = null, parts = [], lease } = fork
      const source = sessions.find(from)
      compareLog(from, log, source.logId)
      checkHead(head)
      checkOwner(owner)
      const parent = ownerOf(source, fork)
      const known = sessions.get(to)
      if (known !== undefined) {
        compareFork(fork, known.parent && toForkPoint(known.parent), toForkPoint(parent))
        return toInfo(to, known, now())
      }
      const { log: frames } = source
      const ancestors = logsOf(parent.session).length
      checkFork(fork, { tail: frames.tail(), earliest: frames.earliest(), ancestors })
      const branch = sessions.provide(to, owner, parent)
      branch.epoch = 1
      branch.head = head
      branch.lease = lease && { owner: lease.owner, until: now() + lease.ms }
      branch.parts.change(parts)
      sessions.touch(to)
      return toInfo(to, branch, now())
    },

    branches: async (name, limit, log) => {
      const session = sessions.get(name)
      if (session === undefined) return []
      compareLog(name, log, session.logId)
      const present = [...session.branches].filter(([{ isRemoved }]) => !isRemoved)
      return present.slice(0, limit).map(([, branch]) => branch)
    },
  }
}

/** Finds the log that holds a frame. A branch of a branch shares the log of the ancestor that wrote the frame. */
function ownerOf(source: MemorySession, { from, frame }: Fork): MemoryParent {
  const earliest = source.log.earliest()
  let owner = { session: source, name: from }
  for (let { parent } = source; parent !== undefined; { parent } = parent.session) {
    if (frame > parent.frame) break
    owner = parent
  }
  return { ...owner, frame, earliest }
}
