import { nothingPending, type PendingCalls } from '../../agent/port/index.ts'
import type { Part, PartChange } from '../../stores/port/index.ts'
import { toStoredBlock } from '../files/stored-blocks.ts'
import { encodeHead, type StoredSession } from './session-record.ts'
import { CELLS, toPartChange } from './stored-state.ts'

/** The collection of what a session keeps beside its state, by the numbers below. */
export const RECORD = 'own:record'

/** What of a session is stored as parts, each under a number of its own. */
export const recordParts = {
  question: 2,
  stop: 3,
  answers: 5,
  pending: 6,
  /** The bytes of files that were sent before anything was asked. */
  uploaded: 7,
} as const

type RecordField = keyof typeof recordParts

/** A session as an append stores it. */
export interface EncodedSession {
  readonly head: string
  readonly parts: readonly PartChange[]
}

/** Writes the changes of a session as its head and parts: what was written before is not written again. */
export class RecordWriter {
  /** The cells of the state as they were written last. */
  readonly #cells: Map<number, string>
  readonly #written = new Map<RecordField, unknown>()
  /** How many bytes were written to the session, about. */
  #bytes: number
  #onCounted: (bytes: number) => void = () => {}

  constructor(written?: StoredSession, cells: ReadonlyMap<number, string> = new Map()) {
    this.#cells = new Map(cells)
    this.#bytes = written?.bytes ?? 0
    if (written === undefined) return
    for (const field of storedFields) this.#written.set(field, written[field])
    this.#written.set('pending', encodePending(written))
  }

  /** Whether the agent has a stored state. */
  hasState(): boolean {
    return this.#cells.size > 0
  }

  /** Gives what has changed in a session since this was called last; `frame` is the last frame that it belongs to. */
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

  /** Adds to the bytes of the session, which the next head tells. */
  count(bytes: number): void {
    this.#bytes += bytes
    this.#onCounted(bytes)
  }

  /** Passes on what is added to the bytes of the session from now on. */
  follow(onCounted: (bytes: number) => void): void {
    this.#onCounted = onCounted
  }

  /** Gives the cells of the state as they were written last. */
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

  /** Pending calls change seldom, and are read where the state is not. */
  #putPending(parts: PartChange[], frame: number, stored: StoredSession): void {
    const part = toPendingPart(stored, frame)
    if (this.#written.get('pending') === part?.body) return
    this.#written.set('pending', part?.body)
    parts.push(part ?? { ...pendingPlace, body: null })
  }
}

const storedFields = ['question', 'stop', 'answers'] as const

function encodeField(field: RecordField, value: unknown): string {
  const isBlocks = field === 'question' && Array.isArray(value)
  return JSON.stringify(isBlocks ? value.map(toStoredBlock) : value)
}

const pendingPlace = { collection: RECORD, number: recordParts.pending }

/** The part that keeps the pending calls of a session and the answers of its open turn; undefined if there are none. */
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

/** The pending calls of a session. Sub-agents may wait while the rest of the run continues. */
export function pendingIn({ checkpoint, pending, status }: StoredSession): PendingCalls {
  if (status === 'ended') return nothingPending
  return checkpoint?.pending ?? pending ?? nothingPending
}
