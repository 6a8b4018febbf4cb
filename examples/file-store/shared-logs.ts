import { REMEMBERED_MS } from 'millrace/store'
import {
  createSession,
  deleteSession,
  readSessions,
  type Session,
  writeSession,
} from './session-file.ts'

/** A log that a session reads, and the last frame of it that it shares. */
export interface SharedLog {
  readonly owner: Session
  readonly upTo: number
}

/** Reads the logs of a folder: those of sessions, and those of removed sessions that branches share. */
export function openLogs(folder: string) {
  const found = readSessions(folder).sort((a, b) => a.generation - b.generation)
  const logs = new Map(found.map((session) => [session.log, session]))
  /** The newest session of each name, also if it was removed. */
  const names = new Map(found.map((session) => [session.name, session]))

  const parentOf = ({ parent }: Session): Session | undefined => parent && logs.get(parent.log)

  /** The logs that a session reads, the oldest first and its own last. */
  const chain = (owner: Session): readonly SharedLog[] => {
    const shared: SharedLog[] = [{ owner, upTo: Infinity }]
    for (let child = owner, above = parentOf(child); above; above = parentOf(child)) {
      shared.unshift({ owner: above, upTo: child.parent?.frame ?? 0 })
      child = above
    }
    return shared
  }

  const isShared = ({ log }: Session): boolean =>
    [...logs.values()].some(({ parent }) => parent?.log === log)

  /** Writes a session, then puts it in the place of the one before. */
  const put = (session: Session): void => {
    writeSession(folder, session)
    logs.set(session.log, session)
    const last = names.get(session.name)
    if (last !== undefined && last.generation > session.generation) return
    names.set(session.name, session)
    if (last?.log !== session.log) tidy(last)
  }

  /** Deletes the contents of a removed session once no branch shares them, then checks its parent. Its generation is kept for a while. */
  const tidy = (session: Session | undefined): void => {
    if (session?.removedAt === undefined || isShared(session)) return
    const { name, log, generation, removedAt } = session
    const isKept = names.get(name)?.log === log && removedAt > Date.now() - REMEMBERED_MS
    if (!isKept) {
      deleteSession(folder, session)
      logs.delete(log)
    } else if (session.epoch > 0) put({ ...createSession(name, generation, null), log, removedAt })
    tidy(parentOf(session))
  }
  for (const { log } of found) tidy(logs.get(log))

  return { logs, names, chain, isShared, put, tidy }
}
