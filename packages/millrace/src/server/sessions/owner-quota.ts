import { MillraceError } from '../../errors/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { ageOf, currentMoment, type Moment } from '../timing.ts'
import { isNewer } from './session-record.ts'
import { bytesOf } from './session-quota.ts'

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
      if (used >= max || used + added > max) throw quotaReached(used, max)
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
    const { rows, total } = await mapStoreErrors(store.list({ limit: PAGE, offset, owner }))
    for (const row of rows) {
      const isRead = row.head === undefined || !isNewer(row.head)
      if (isRead && !before.has(row.session)) sum += await bytesOf(store, row)
    }
    before = new Set(rows.map(({ session }) => session))
    if (offset + PAGE >= total) return sum
  }
}

function quotaReached(used: number, max: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The sessions of this owner have about ${used} bytes, and the limit is ${max} (limits.maxOwnerBytes). Delete sessions with DELETE /agent/{uuid}.`,
    { details: { max_bytes: max } },
  )
}
