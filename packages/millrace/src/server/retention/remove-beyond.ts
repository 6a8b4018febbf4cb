import { isMillraceError } from '../../errors/index.ts'
import { parseJsonObject } from '../../json/index.ts'
import type { SessionRow, Store } from '../../store/index.ts'

/** So many rows of the list are looked at together. */
const PAGE = 100

/** A session is opened for this long while it is removed. */
const LEASE_MS = 10_000

/** What removes sessions. */
export interface Remover {
  readonly store: Store
  readonly node: string
  readonly isStopped: () => boolean
}

/** Removes the sessions that come after the first `kept` of the list and neither run nor wait; resolves with how many. */
export async function removeBeyond(remover: Remover, kept: number): Promise<number> {
  const { store, isStopped } = remover
  let removed = 0
  for (let offset = kept; !isStopped();) {
    const { rows } = await store.list({ limit: PAGE, offset })
    for (const row of rows) {
      if (isStopped()) return removed
      if (await removeUnused(remover, row)) removed += 1
      else offset += 1
    }
    if (rows.length < PAGE) return removed
  }
  return removed
}

/**
 * Removes a session as it was listed, if nobody uses it. Becomes its writer first: a server that has begun something there since is
 * left alone, and none begins anything meanwhile.
 */
async function removeUnused({ store, node }: Remover, row: SessionRow): Promise<boolean> {
  const { session, tail, head } = row
  if (isNeeded(head)) return false
  const info = await store.info(session)
  if (info === undefined || info.lease !== undefined || info.pending > 0) return false
  if (info.tail !== tail || info.head !== head) return false
  try {
    await store.open(session, { owner: node, ms: LEASE_MS }, info.epoch)
  } catch (error) {
    if (isMillraceError(error) && error.code === 'lease_lost') return false
    throw error
  }
  return store.remove(session)
}

/** A run that waits has somebody who may come back to it; `keep.days` says for how long. */
function isNeeded(head: string | undefined): boolean {
  const { status } = parseJsonObject(head ?? '') ?? {}
  return status === 'running' || status === 'paused'
}
