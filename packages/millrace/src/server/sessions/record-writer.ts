import {
  nothingPending,
  type PendingCalls,
  type StatePart,
  type StoredState,
} from '../../agent/port/index.ts'
import type { JsonValue } from '../../json/index.ts'
import type { Part, PartChange, SessionInfo, Store } from '../../stores/port/index.ts'
import { createRestore } from '../files/prompt-files.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { encodeHead, type StoredSession } from './session-record.ts'

/** The collection of the parts with a session's data, apart from its state; {@link recordParts} has their numbers. */
export const RECORD = 'own:record'

/** The fields of a session that are stored as parts, with their numbers. */
export const recordParts = {
  question: 2,
  stop: 3,
  answers: 5,
  pending: 6,
  /** The bytes of files that were sent before the first prompt. */
  uploaded: 7,
  context: 8,
} as const

type RecordField = keyof typeof recordParts

/** A session in the form of an append. */
interface EncodedSession {
  readonly head: string
  readonly parts: readonly PartChange[]
}

/** Encodes the changes of a session as its head and parts; unchanged parts are not written again. */
export class RecordWriter {
  /** The last written cells of the state. */
  readonly #cells: Map<number, string>
  readonly #written = new Map<RecordField, unknown>()
  /** The approximate number of bytes written to the session. */
  #bytes: number
  #onCounted: (bytes: number) => void = () => {}

  constructor(written?: StoredSession, cells: ReadonlyMap<number, string> = new Map()) {
    this.#cells = new Map(cells)
    this.#bytes = written?.bytes ?? 0
    if (written === undefined) return
    for (const field of storedFields) this.#written.set(field, written[field])
    this.#written.set('pending', encodePending(written))
  }

  /** Checks whether the agent has a stored state. */
  hasState(): boolean {
    return this.#cells.size > 0
  }

  /** Returns the changes of a session since the last call; `frame` is the last frame that they belong to. */
  encode(stored: StoredSession, frame: number): EncodedSession {
    const { checkpoint } = stored
    const changes = checkpoint?.encode() ?? []
    const parts = changes.map((part) => toPartChange(part, frame))
    for (const { collection, number, body } of parts) {
      if (collection !== CELLS) continue
      if (body === null) this.#cells.delete(number)
      else this.#cells.set(number, body)
    }
    for (const field of storedFields) this.#put(parts, frame, field, stored[field])
    this.#putPending(parts, frame, stored)
    for (const { body } of parts) this.count(body?.length ?? 0)
    return { head: encodeHead({ ...stored, bytes: this.#bytes }), parts }
  }

  /** Adds to the bytes of the session, which the next head contains. */
  count(bytes: number): void {
    this.#bytes += bytes
    this.#onCounted(bytes)
  }

  /** Reports later additions to the bytes of the session. */
  follow(onCounted: (bytes: number) => void): void {
    this.#onCounted = onCounted
  }

  /** Returns the last written cells of the state. */
  cells(frame: number): readonly Part[] {
    return [...this.#cells].map(([number, body]) => ({ collection: CELLS, number, frame, body }))
  }

  #put(parts: PartChange[], frame: number, field: RecordField, value: unknown): void {
    if (this.#written.get(field) === value) return
    this.#written.set(field, value)
    const place = { collection: RECORD, number: recordParts[field] }
    if (value === undefined) parts.push({ ...place, body: null })
    else parts.push({ ...place, frame, body: encodeField(field, value) })
  }

  /** Writes changed pending calls. They are stored apart from the state, because readers of them need no state. */
  #putPending(parts: PartChange[], frame: number, stored: StoredSession): void {
    const part = toPendingPart(stored, frame)
    if (this.#written.get('pending') === part?.body) return
    this.#written.set('pending', part?.body)
    parts.push(part ?? { ...pendingPlace, body: null })
  }
}

const storedFields = ['question', 'context', 'stop', 'answers'] as const

/** Creates the part with the context of a session; none without a context. */
export function toContextParts(context: JsonValue | undefined, frame: number): readonly Part[] {
  if (context === undefined) return []
  const place = { collection: RECORD, number: recordParts.context }
  return [{ ...place, frame, body: JSON.stringify(context) }]
}

function encodeField(field: RecordField, value: unknown): string {
  const isBlocks = field === 'question' && Array.isArray(value)
  return JSON.stringify(isBlocks ? value.map(toStoredBlock) : value)
}

const pendingPlace = { collection: RECORD, number: recordParts.pending }

/** Creates the part with the pending calls of a session and the answers of its open turn; undefined if there are none. */
export function toPendingPart(stored: StoredSession, frame: number): Part | undefined {
  const body = encodePending(stored)
  return body === undefined ? undefined : { ...pendingPlace, frame, body }
}

function encodePending(stored: StoredSession): string | undefined {
  const pending = pendingIn(stored)
  const { calls, approvals, answered = [] } = pending
  const isNone = calls.length + approvals.length + answered.length === 0
  return isNone ? undefined : JSON.stringify(pending)
}

/** Returns the pending calls of a session. Sub-agents may wait while the rest of the run continues. */
export function pendingIn({ checkpoint, pending, status }: StoredSession): PendingCalls {
  if (status === 'ended') return nothingPending
  return checkpoint?.pending ?? pending ?? nothingPending
}

/** The collection of the cells of a state. The number of a cell is that of its lane. */
export const CELLS = 'own:cells'

const PAGE = 256

/** Returns the collection of the parts of one lane. */
export function laneCollection(lane: number): string {
  return `lane:${lane}`
}

/** Opens the stored state of a session for its agent. */
export function openState(
  store: Pick<Store, 'parts' | 'file'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
): StoredState {
  const restore = createRestore({ store, session })
  return {
    cells: () => readCells(store, { session, log }),
    async *parts(lane, { after = 0, upTo = Number.MAX_SAFE_INTEGER } = {}) {
      for (let last = after; last < upTo;) {
        const range = { after: last, limit: Math.min(PAGE, upTo - last) }
        const collection = laneCollection(lane)
        const page = await store.parts(session, collection, range, log)
        yield* page
        last = page.at(-1)?.number ?? upTo
        if (page.length < range.limit) return
      }
    },
    blocks: { toStored: toStoredBlock, restore },
  }
}

/** Reads the cells of a state by lane. */
export async function readCells(
  store: Pick<Store, 'parts'>,
  { session, log }: Pick<SessionInfo, 'session' | 'log'>,
): Promise<ReadonlyMap<number, string>> {
  const cells = new Map<number, string>()
  for (let after = -1; ;) {
    const page = await store.parts(session, CELLS, { after, limit: PAGE }, log)
    for (const { number, body } of page) cells.set(number, body)
    after = page.at(-1)?.number ?? after
    if (page.length < PAGE) return cells
  }
}

/** Adds the collection to a part of a state. */
export function toPartChange({ lane, number, body }: StatePart, frame: number): PartChange {
  const place =
    number === 0
      ? { collection: CELLS, number: lane }
      : { collection: laneCollection(lane), number }
  return body === null ? { ...place, body } : { ...place, body, frame }
}
