import { parseJsonObject } from '../../json/index.ts'
import type { SessionRow, Store } from '../../stores/port/index.ts'
import { isNewer } from '../sessions/session-record.ts'

/** So many rows of the list are looked at together. */
const PAGE = 100

/** The store from which sessions are removed, and the signal to stop. */
export interface Remover {
  readonly store: Store
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
 * Removes a session as it was listed, if nobody uses it. It is not opened for that: an open session comes first in the list, and another
 * server that looks at the list in that moment would remove one too many.
 */
async function removeUnused({ store }: Remover, row: SessionRow): Promise<boolean> {
  const { session, tail, head } = row
  if (isNeeded(head)) return false
  const info = await store.info(session)
  if (info === undefined || info.lease !== undefined || info.pending > 0) return false
  return info.tail === tail && info.head === head && store.remove(session)
}

/** A run that waits has somebody who may come back to it; `keep.days` says for how long. */
function isNeeded(head: string | undefined): boolean {
  // A server changes nothing that a newer version has stored.
  if (isNewer(head ?? '')) return true
  const { status } = parseJsonObject(head ?? '') ?? {}
  return status === 'running' || status === 'paused'
}
