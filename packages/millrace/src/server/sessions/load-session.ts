import { nothingPending, type PendingCalls } from '../../agent/port/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { RECORD, recordParts, RecordWriter } from './record-writer.ts'
import { readCells } from './stored-state.ts'
import { decodeHead, type SessionHead, type StoredSession } from './session-record.ts'

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
  const found = await mapStoreErrors(store.parts(session, RECORD, { after: 0, limit }, log))
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
    const info = await mapStoreErrors(store.info(session))
    const loaded = await loadSession(store, info)
    if (info === undefined || loaded === undefined) return undefined
    if (loaded.stored.status === 'running' || reads === MAX_READS) return { info, loaded }
    const now = await mapStoreErrors(store.info(session))
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
  const [part] = await mapStoreErrors(store.parts(session, RECORD, range, log))
  return part?.number === number ? JSON.parse(part.body) : undefined
}
