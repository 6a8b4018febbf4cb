import { createHash } from 'node:crypto'
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
  /** When it was removed: its file then only tells its generation. */
  readonly removedAt?: number
  writtenAt: number
  epoch: number
  head: string | undefined
  lease: { readonly owner: string; readonly until: number } | undefined
  /** In base64; the first one has the id 1. */
  lines: string[]
  parts: Part[]
  inbox: number
  /** The first one has the seq 1. */
  commands: Command[]
  claims: { readonly name: string; readonly holder: string; readonly until: number }[]
  files: (Omit<StoredFile, 'bytes'> & { readonly data: string })[]
}

/** The sessions of a folder. */
export type Folder = ReturnType<typeof openFolder>

/** Reads all files of a folder into memory, and writes those that change. */
export function openFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const sessions = new Map(readSessions(folder).map((session) => [session.name, session]))
  const waiters = createWaiters()
  let isClosed = false
  let lastWrite = 0
  for (const { writtenAt } of sessions.values()) lastWrite = Math.max(lastWrite, writtenAt)

  const all = (): Session[] => {
    if (isClosed) throw storeClosed()
    const present = [...sessions.values()].filter(({ removedAt }) => removedAt === undefined)
    return present.sort((a, b) => b.writtenAt - a.writtenAt)
  }

  const get = (name: string): Session | undefined => {
    if (isClosed) throw storeClosed()
    const session = sessions.get(name)
    return session?.removedAt === undefined ? session : undefined
  }

  const find = (name: string, log?: string): Session => {
    const session = get(name)
    if (session === undefined) throw sessionUnknown(name)
    compareLog(name, log, session.log)
    return session
  }

  /** Two writes have different times, by which sessions are ordered. */
  const tick = (): number => (lastWrite = Math.max(Date.now(), lastWrite + 1))

  /** Changes a copy, writes it, then puts it in the place of the session: what throws before that has changed nothing. */
  const change = <Result>(session: Session, edit: (copy: Session) => Result): Result => {
    const copy = structuredClone(session)
    const result = edit(copy)
    writeSession(folder, copy)
    sessions.set(copy.name, copy)
    return result
  }

  const provide = (name: string): Session =>
    get(name) ?? createSession(name, (sessions.get(name)?.generation ?? 0) + 1)

  const remove = (name: string): boolean => {
    const session = get(name)
    if (session === undefined) return false
    const gone = { ...createSession(name, session.generation), removedAt: Date.now() }
    change(gone, () => undefined)
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

  return { get, find, tick, change, provide, remove, check, close, all, waiters }
}

function createSession(name: string, generation: number): Session {
  const identity = { version: 1, name, log: createLogId(), generation } as const
  const fence = { writtenAt: 0, epoch: 0, inbox: 0, head: undefined, lease: undefined }
  return { ...identity, ...fence, lines: [], parts: [], commands: [], claims: [], files: [] }
}

/** A rename is one step: whoever opens the file finds the old text or the new one, never a half. */
function writeSession(folder: string, session: Session): void {
  // A name may be longer than a file's, or differ from another one only in case.
  const path = join(folder, `${createHash('sha256').update(session.name).digest('hex')}.json`)
  try {
    writeFileSync(`${path}.tmp`, JSON.stringify(session), { mode: 0o600 })
    renameSync(`${path}.tmp`, path)
  } catch (cause) {
    throw unavailable(cause)
  }
}

/** Reads all files but those of sessions that were removed long ago, which are deleted. */
function readSessions(folder: string): Session[] {
  const paths = readdirSync(folder).map((name) => join(folder, name))
  return paths.flatMap((path) => {
    if (!path.endsWith('.json')) return []
    const session = JSON.parse(readFileSync(path, 'utf8')) as Session
    if (session.version !== 1)
      throw new MillraceError('unsupported', `${path} was written by a newer version.`)
    if ((session.removedAt ?? Infinity) > Date.now() - REMEMBERED_MS) return session
    rmSync(path)
    return []
  })
}

/** What a client is told; the path is in the cause, which only the server's log shows. */
function unavailable(cause: unknown): MillraceError {
  const message = 'The folder of the sessions cannot be written to; nothing was stored.'
  return new MillraceError('store_unavailable', message, { cause })
}
