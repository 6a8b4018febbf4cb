import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MillraceError } from 'millrace'
import {
  type Command,
  createLogId,
  type ForkPoint,
  type Part,
  type StoredFile,
} from 'millrace/store'

/** A session as its file holds it. */
export interface Session {
  readonly version: 1
  readonly name: string
  readonly log: string
  readonly generation: number
  /** Absent in files that were written before sessions had owners. */
  readonly owner?: string | null
  /** Where it leaves its parent, if it is a branch. */
  readonly parent?: ForkPoint
  /** The time of the removal: the file then has its generation, and the data that branches share. */
  removedAt?: number
  writtenAt: number
  epoch: number
  head: string | undefined
  lease: { readonly owner: string; readonly until: number } | undefined
  /** The id before that of the first line. */
  start: number
  earliest: number
  /** In base64. */
  lines: string[]
  parts: Part[]
  inbox: number
  /** The first one has the seq 1. */
  commands: Command[]
  claims: { readonly name: string; readonly holder: string; readonly until: number }[]
  /** Each with the tail of the log when it was kept. */
  files: (Omit<StoredFile, 'bytes'> & { readonly data: string; readonly tail: number })[]
}

/** Creates a session that is not stored yet. */
export function createSession(name: string, generation: number, owner: string | null): Session {
  const identity = { version: 1, name, log: createLogId(), generation, owner } as const
  const fence = { writtenAt: 0, epoch: 0, inbox: 0, head: undefined, lease: undefined }
  const log = { start: 0, earliest: 1, lines: [] }
  return { ...identity, ...fence, ...log, parts: [], commands: [], claims: [], files: [] }
}

/** A log's id is a file name on every system; a session's name may be too long for one. */
function pathOf(folder: string, log: string): string {
  return join(folder, `${log}.json`)
}

/** Writes the file of a session. A rename is one step: the file has the old text or the new one, never a half. */
export function writeSession(folder: string, session: Session): void {
  const path = pathOf(folder, session.log)
  try {
    writeFileSync(`${path}.tmp`, JSON.stringify(session), { mode: 0o600 })
    renameSync(`${path}.tmp`, path)
  } catch (cause) {
    throw unavailable(cause)
  }
}

/** Deletes the file of a session. */
export function deleteSession(folder: string, { log }: Session): void {
  rmSync(pathOf(folder, log), { force: true })
}

/** Reads all sessions of a folder. */
export function readSessions(folder: string): Session[] {
  const paths = readdirSync(folder).map((name) => join(folder, name))
  return paths.flatMap((path) => {
    if (!path.endsWith('.json')) return []
    const session = JSON.parse(readFileSync(path, 'utf8')) as Session
    if (session.version !== 1)
      throw new MillraceError('unsupported', `${path} was written by a newer version.`)
    return session
  })
}

/** Makes the error that clients see; the path is in the cause, which only the server's log shows. */
export function unavailable(cause: unknown): MillraceError {
  const message = 'The folder of the sessions cannot be written to; nothing was stored.'
  return new MillraceError('store_unavailable', message, { cause })
}
