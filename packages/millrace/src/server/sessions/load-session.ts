import { MillraceError } from '../../errors/index.ts'
import { nothingPending, type PendingCalls } from '../../agent/port/index.ts'
import { logReplaced, type SessionInfo, type Store } from '../../stores/port/index.ts'
import type { LogRange } from '../runs/run-services.ts'
import { readCells, RECORD, recordParts, RecordWriter } from './record-writer.ts'
import { decodeHead, rootAgentOf, type SessionHead, type StoredSession } from './session-record.ts'
/** A session with all of its stored data, and the writer of its changes. */
interface LoadedSession {
  readonly stored: StoredSession
  readonly writer: RecordWriter
}

/** Returns the head of a session; undefined if it has had no prompt. */
export function headOf(info: Pick<SessionInfo, 'head'> | undefined): SessionHead | undefined {
  return info?.head === undefined ? undefined : decodeHead(info.head)
}

/** Reads the data of a session besides its log; undefined if it has had no prompt. The agent reads its state itself. */
export async function loadSession(
  store: Pick<Store, 'parts'>,
  info: SessionInfo | undefined,
): Promise<LoadedSession | undefined> {
  const head = headOf(info)
  if (info === undefined || head === undefined) return undefined
  const { session, log } = info
  const limit = Math.max(...Object.values(recordParts))
  const found = await store.parts(session, RECORD, { after: 0, limit }, log)
  const field = (name: keyof typeof recordParts): unknown => {
    const part = found.find(({ number }) => number === recordParts[name])
    return part && JSON.parse(part.body)
  }
  const [question, context] = [field('question'), field('context')]
  const [stop, pending] = [field('stop'), field('pending')]
  const stored = {
    ...head,
    ...(question !== undefined && { question }),
    ...(context !== undefined && { context }),
    ...(stop !== undefined && { stop }),
    ...(pending !== undefined && { pending }),
    answers: field('answers') ?? [],
  } as StoredSession
  return { stored, writer: new RecordWriter(stored, await readCells(store, info)) }
}

/** A session that was found, with all of its stored data. */
interface FoundLoaded {
  readonly info: SessionInfo
  readonly loaded: LoadedSession
}

/** Maximum number of reads of a session that changes while it is read. */
const MAX_READS = 20

/**
 * Reads a session at one moment: head and parts are read one after the other, and a decision must not mix data from before an append with
 * data of it. An active run changes them all the time and is read once.
 */
export async function findLoaded(store: Store, session: string): Promise<FoundLoaded | undefined> {
  for (let reads = 1; ; reads++) {
    const info = await store.info(session)
    const loaded = await loadSession(store, info)
    if (info === undefined || loaded === undefined) return undefined
    if (loaded.stored.status === 'running' || reads === MAX_READS) return { info, loaded }
    const now = await store.info(session)
    if (now?.epoch === info.epoch && now.tail === info.tail && now.head === info.head)
      return { info, loaded }
  }
}

/** Reads the pending calls of a session, without its conversation. */
export async function loadPending(
  store: Pick<Store, 'parts'>,
  info: SessionInfo,
  head: Pick<SessionHead, 'status'> | undefined,
): Promise<PendingCalls> {
  const isOver = head === undefined || head.status === 'ended'
  const pending = isOver ? undefined : await loadField(store, info, 'pending')
  return (pending as PendingCalls | undefined) ?? nothingPending
}

/** Reads one field of a session besides its state; undefined if it has none. */
export async function loadField(
  store: Pick<Store, 'parts'>,
  { session, log }: Pick<SessionInfo, 'session'> & { readonly log?: string },
  field: keyof typeof recordParts,
): Promise<unknown> {
  const number = recordParts[field]
  const range = { after: number - 1, limit: 1 }
  const [part] = await store.parts(session, RECORD, range, log)
  return part?.number === number ? JSON.parse(part.body) : undefined
}

/** A session that has had a prompt or an upload; after an upload alone it has no head. */
export interface UsedSession {
  readonly info: SessionInfo
  readonly head: SessionHead | undefined
}

/** The position of a reader in a session. */
interface SeenLog {
  readonly after?: number
  readonly log?: string | undefined
}

/**
 * Finds a session. Throws `not_found` if there is none, and `log_truncated` if the store has lost frames at a reader's position. If the
 * caller names a log, throws `log_replaced` if the session has another one or is gone. [LOG-12]
 */
async function findInfo(
  store: Store,
  session: string,
  { after = -1, log }: SeenLog = {},
): Promise<SessionInfo> {
  const info = await store.info(session)
  if (log !== undefined && log !== info?.log) throw logReplaced(session, log, info)
  if (info === undefined) throw sessionMissing(session)
  if (after >= info.tail) await store.read(session, after, 1)
  return info
}

/**
 * Finds a session that has had a prompt or an upload. Others were opened by a process that died before it stored the first prompt, and
 * clients send that prompt again.
 */
export async function findUsedSession(
  store: Store,
  session: string,
  seen?: SeenLog,
): Promise<UsedSession> {
  const info = await findInfo(store, session, seen)
  const head = headOf(info)
  const isUsed = head !== undefined || (await store.fileIds(session)).length > 0
  if (!isUsed) throw sessionMissing(session)
  return { info, head }
}

/** Finds a session that has had a prompt, with its head. */
export async function findSession(
  store: Store,
  session: string,
  seen?: SeenLog,
): Promise<{ readonly info: SessionInfo; readonly head: SessionHead }> {
  const info = await findInfo(store, session, seen)
  const head = headOf(info)
  if (head === undefined) throw sessionMissing(session)
  return { info, head }
}

/** Returns the end of a log, up to which a new reader catches up. */
export function endOf({
  info,
  head,
}: UsedSession): Pick<LogRange, 'tail' | 'lastRollback' | 'root' | 'forkedAfter'> {
  const { lastRollback, forkedFrom } = head ?? {}
  const root = rootAgentOf(info.session, head)
  return {
    tail: info.tail,
    root,
    ...(lastRollback !== undefined && { lastRollback }),
    ...(forkedFrom !== undefined && { forkedAfter: forkedFrom.frame }),
  }
}

/** Creates the error for an unknown session. */
export function sessionMissing(session: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no session ${session}; check the id, or start one with POST /agent/run.`,
  )
}
