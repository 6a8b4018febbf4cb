import { MillraceError } from '../../errors/index.ts'
import type { SessionRow, Store } from '../../stores/port/index.ts'
import { ageOf, currentMoment, type Moment } from '../timing.ts'
import { headOf, loadField } from './load-session.ts'
import { isNewer } from './session-record.ts'

/** A limit on how many units each key may hold. */
export interface Quota {
  /** Acquires one unit for a key and returns a function that releases it. Without a key nothing is counted. */
  acquire(key: string | undefined): () => void
}

/** Creates a quota with `max` units for each key. */
export function createQuota(max: number, refuse: (max: number) => MillraceError): Quota {
  const held = new Map<string, number>()

  const release = (key: string): void => {
    const rest = (held.get(key) ?? 1) - 1
    if (rest === 0) held.delete(key)
    else held.set(key, rest)
  }

  return {
    acquire: (key) => {
      if (key === undefined) return () => {}
      const count = held.get(key) ?? 0
      if (count >= max) throw refuse(max)
      held.set(key, count + 1)
      let isHeld = true
      return () => {
        if (isHeld) release(key)
        isHeld = false
      }
    },
  }
}

/** A session from its store or from a list of sessions. */
type StoredPlace = Pick<SessionRow, 'session' | 'head'> & { readonly log?: string }

/** Returns the approximate bytes of a session: frames, parts and files, as the server counts them. */
export async function bytesOf(
  store: Pick<Store, 'parts'>,
  info: StoredPlace | undefined,
): Promise<number> {
  if (info === undefined) return 0
  const head = headOf(info)
  if (head !== undefined) return head.bytes ?? 0
  return Number((await loadField(store, info, 'uploaded')) ?? 0)
}

/** Throws if a session has reached its byte limit, or would exceed it with `added` bytes. */
export function checkQuota(
  session: string,
  bytes: number,
  { max, added = 0 }: { readonly max: number; readonly added?: number },
): void {
  if (bytes < max && bytes + added <= max) return
  throw new MillraceError(
    'payload_too_large',
    `Session ${session} has about ${bytes} bytes, and the limit is ${max} (limits.maxSessionBytes). Start a new session, or delete this one with DELETE /agent/${session}.`,
    { details: { max_bytes: max } },
  )
}

/** Creates a store that counts the bytes of new files. */
export function countingFiles(store: Store, count: (bytes: number) => void): Store {
  return {
    ...store,
    putFile: async (session, file) => {
      await store.putFile(session, file)
      count(file.bytes.length)
    },
  }
}

/** Maximum age of a sum before the sessions of its owner are listed again. */
const FRESH_MS = 5_000
/** Maximum owners with a sum in memory; the oldest are dropped. */
const MAX_OWNERS = 10_000
const PAGE = 256

/** The quota on the bytes of all sessions of an owner. Approximate: writes of other servers count seconds later. */
export interface OwnerQuota {
  /** Throws if an owner has reached the limit, or would exceed it with `added` bytes. Null has no limit. */
  check(owner: string | null, added?: number): Promise<void>
  /** Adds bytes that this server has written for an owner. */
  add(owner: string | null, bytes: number): void
  /** Drops the sum of an owner after a session was removed. */
  forget(owner: string | null): void
}

/** A sum that is being read or was read, and the bytes that this server has added since. */
interface Sum {
  readonly bytes: Promise<number>
  readonly since: Moment
  added: number
}

/** Creates the quota of a server. */
export function createOwnerQuota(store: Store, max: number): OwnerQuota {
  // A Map keeps the order of insertion.
  const sums = new Map<string, Sum>()

  const look = (owner: string): Sum => {
    const known = sums.get(owner)
    if (known !== undefined && ageOf(known.since) < FRESH_MS) return known
    const sum = { bytes: sumOf(store, owner), since: currentMoment(), added: 0 }
    sum.bytes.catch(() => sums.get(owner) === sum && sums.delete(owner))
    sums.delete(owner)
    sums.set(owner, sum)
    const [oldest] = sums.keys()
    if (sums.size > MAX_OWNERS && oldest !== undefined) sums.delete(oldest)
    return sum
  }

  return {
    check: async (owner, added = 0) => {
      if (owner === null || max === Infinity) return
      const sum = look(owner)
      const used = (await sum.bytes) + sum.added
      if (used >= max || used + added > max)
        throw new MillraceError(
          'payload_too_large',
          `The sessions of this owner have about ${used} bytes, and the limit is ${max} (limits.maxOwnerBytes). Delete sessions with DELETE /agent/{uuid}.`,
          { details: { max_bytes: max } },
        )
    },
    add: (owner, bytes) => {
      const sum = owner === null ? undefined : sums.get(owner)
      if (sum !== undefined) sum.added += bytes
    },
    forget: (owner) => void (owner !== null && sums.delete(owner)),
  }
}

/** Returns the bytes of all sessions of an owner, from their heads. */
async function sumOf(store: Store, owner: string): Promise<number> {
  let sum = 0
  // A session written meanwhile moves up, and moves the last ones of a page to the next page.
  let before: ReadonlySet<string> = new Set()
  for (let offset = 0; ; offset += PAGE) {
    const { rows, total } = await store.list({ limit: PAGE, offset, owner })
    for (const row of rows) {
      const isRead = row.head === undefined || !isNewer(row.head)
      if (isRead && !before.has(row.session)) sum += await bytesOf(store, row)
    }
    before = new Set(rows.map(({ session }) => session))
    if (offset + PAGE >= total) return sum
  }
}
