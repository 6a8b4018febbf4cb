import { nothingPending, type PendingCalls } from '../../agent/port/index.ts'
import { type ReadCollection, readState } from '../../agent/state/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { RECORD, recordParts, RecordWriter } from './record-writer.ts'
import { decodeHead, type SessionHead, type StoredSession } from './session-record.ts'

const PAGE = 256

/** A session with all that is kept of it, and the writer that goes on from there. */
export interface LoadedSession {
  readonly stored: StoredSession
  readonly writer: RecordWriter
}

/** The head of a session; undefined if nothing was ever asked in it. */
export function headOf(info: Pick<SessionInfo, 'head'> | undefined): SessionHead | undefined {
  return info?.head === undefined ? undefined : decodeHead(info.head)
}

/** Reads all that is kept of a session; undefined if nothing was ever asked in it. Costs as much as its conversation. */
export async function loadSession(
  store: Pick<Store, 'parts'>,
  info: SessionInfo | undefined,
): Promise<LoadedSession | undefined> {
  const head = headOf(info)
  if (info === undefined || head === undefined) return undefined
  const { session, log } = info
  const read = createReader(store, session, log)
  const found: Record<number, string> = {}
  for await (const { number, body } of read(RECORD)) found[number] = body
  const field = (name: keyof typeof recordParts): unknown => {
    const body = found[recordParts[name]]
    return body === undefined ? undefined : JSON.parse(body)
  }
  const [question, stop] = [field('question'), field('stop')]
  const states = await readState(read, { toStoredBlock })
  const stored = {
    ...head,
    ...(question !== undefined && { question }),
    ...(stop !== undefined && { stop }),
    ...(states !== undefined && { state: states.state }),
    answers: field('answers') ?? [],
  } as StoredSession
  return { stored, writer: new RecordWriter(states?.writer, stored) }
}

/** A session that was found, with all that is kept of it. */
export interface FoundLoaded {
  readonly info: SessionInfo
  readonly loaded: LoadedSession
}

/** So often a session is read again that changes while it is read. */
const MAX_READS = 20

/**
 * Reads a session as it is at one moment: head and parts are read one after the other, and whoever decides by both must not mix
 * what was before an append with what came with it. A run under way changes them all the time, and is looked at as it comes.
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

/** Reads the calls of a session that wait, without its conversation. */
export async function loadPending(
  store: Pick<Store, 'parts'>,
  info: SessionInfo,
  { status }: SessionHead,
): Promise<PendingCalls> {
  const pending = status === 'ended' ? undefined : await loadField(store, info, 'pending')
  return (pending as PendingCalls | undefined) ?? nothingPending
}

/** Reads one field of what a session keeps beside its state; undefined if it has none. */
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

function createReader(store: Pick<Store, 'parts'>, session: string, log: string): ReadCollection {
  return async function* (collection) {
    for (let after = -1; ;) {
      const page = await mapStoreErrors(
        store.parts(session, collection, { after, limit: PAGE }, log),
      )
      yield* page
      after = page.at(-1)?.number ?? after
      if (page.length < PAGE) return
    }
  }
}
