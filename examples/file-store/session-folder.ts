import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MillraceError } from 'millrace'
import {
  type Command,
  compareLog,
  createLogId,
  createWaiters,
  type ForkPoint,
  type Part,
  REMEMBERED_MS,
  sessionUnknown,
  storeClosed,
  type StoredFile,
} from 'millrace/store'

/** A session as its file holds it. */
export interface Session {
  readonly version: 1
  readonly name: string
  readonly log: string
  readonly generation: number
  /** Where it leaves its parent, if it is a branch. */
  readonly parent?: ForkPoint
  /** When it was removed: its file then has its generation, and what branches share. */
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

/** A log that a session reads, and the last frame of it that it shares. */
export interface SharedLog {
  readonly owner: Session
  readonly upTo: number
}

/** The sessions of a folder. */
export type Folder = ReturnType<typeof openFolder>

/** Reads all files of a folder into memory, and writes those that change. */
export function openFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = readSessions(folder).sort((a, b) => a.generation - b.generation)
  const logs = new Map(found.map((session) => [session.log, session]))
  /** The newest session of each name, also if it was removed. */
  const names = new Map(found.map((session) => [session.name, session]))
  const waiters = createWaiters()
  let isClosed = false
  let lastWrite = 0
  for (const { writtenAt } of found) lastWrite = Math.max(lastWrite, writtenAt)

  const all = (): Session[] => {
    if (isClosed) throw storeClosed()
    const present = [...logs.values()].filter(({ removedAt }) => removedAt === undefined)
    return present.sort((a, b) => b.writtenAt - a.writtenAt)
  }

  const get = (name: string): Session | undefined => {
    if (isClosed) throw storeClosed()
    const session = names.get(name)
    return session?.removedAt === undefined ? session : undefined
  }

  const find = (name: string, log?: string): Session => {
    const session = get(name)
    if (session === undefined) throw sessionUnknown(name)
    compareLog(name, log, session.log)
    return session
  }

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

  /** Two writes have different times, by which sessions are ordered. */
  const tick = (): number => (lastWrite = Math.max(Date.now(), lastWrite + 1))

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

  /** Changes a copy: what throws before it is written has changed nothing. */
  const change = <Result>(session: Session, edit: (copy: Session) => Result): Result => {
    const copy = structuredClone(session)
    const result = edit(copy)
    put(copy)
    return result
  }

  /** Deletes the contents of a removed session once no branch shares them, then looks at its parent. Its generation is kept for a while. */
  const tidy = (session: Session | undefined): void => {
    if (session?.removedAt === undefined || isShared(session)) return
    const { name, log, generation, removedAt } = session
    const isKept = names.get(name)?.log === log && removedAt > Date.now() - REMEMBERED_MS
    if (!isKept) {
      rmSync(pathOf(folder, log), { force: true })
      logs.delete(log)
    } else if (session.epoch > 0) put({ ...createSession(name, generation), log, removedAt })
    tidy(parentOf(session))
  }
  for (const { log } of found) tidy(logs.get(log))

  const provide = (name: string): Session =>
    get(name) ?? createSession(name, (names.get(name)?.generation ?? 0) + 1)

  const remove = (name: string): boolean => {
    const session = get(name)
    if (session === undefined) return false
    const rest = { head: undefined, lease: undefined, commands: [], claims: [] }
    change(session, (copy) => Object.assign(copy, { removedAt: Date.now(), ...rest }))
    tidy(names.get(name))
    waiters.dismiss(name, sessionUnknown(name))
    return true
  }

  const check = (): void => {
    if (isClosed) throw storeClosed()
    try {
      accessSync(folder, constants.R_OK | constants.W_OK)
    } catch (cause) {
      throw unavailable(cause)
    }
  }

  const close = (): void => {
    isClosed = true
    waiters.dismissAll(storeClosed())
  }

  const reading = { get, find, all, chain, isShared, waiters }
  return { ...reading, tick, change, provide, remove, check, close }
}

function createSession(name: string, generation: number): Session {
  const identity = { version: 1, name, log: createLogId(), generation } as const
  const fence = { writtenAt: 0, epoch: 0, inbox: 0, head: undefined, lease: undefined }
  const log = { start: 0, earliest: 1, lines: [] }
  return { ...identity, ...fence, ...log, parts: [], commands: [], claims: [], files: [] }
}

/** A log's id is a file name on every system; a session's name may be too long for one. */
function pathOf(folder: string, log: string): string {
  return join(folder, `${log}.json`)
}

/** A rename is one step: the file has the old text or the new one, never a half. */
function writeSession(folder: string, session: Session): void {
  const path = pathOf(folder, session.log)
  try {
    writeFileSync(`${path}.tmp`, JSON.stringify(session), { mode: 0o600 })
    renameSync(`${path}.tmp`, path)
  } catch (cause) {
    throw unavailable(cause)
  }
}

function readSessions(folder: string): Session[] {
  const paths = readdirSync(folder).map((name) => join(folder, name))
  return paths.flatMap((path) => {
    if (!path.endsWith('.json')) return []
    const session = JSON.parse(readFileSync(path, 'utf8')) as Session
    if (session.version !== 1)
      throw new MillraceError('unsupported', `${path} was written by a newer version.`)
    return session
  })
}

/** What a client is told; the path is in the cause, which only the server's log shows. */
function unavailable(cause: unknown): MillraceError {
  const message = 'The folder of the sessions cannot be written to; nothing was stored.'
  return new MillraceError('store_unavailable', message, { cause })
}
