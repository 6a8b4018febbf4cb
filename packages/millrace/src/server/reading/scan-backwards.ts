import { isMillraceError } from '../../errors/index.ts'
import type { LogEntry, Store } from '../../stores/port/index.ts'

const PAGE_ENTRIES = 64
const MAX_PAGE_ENTRIES = 512

/**
 * Looks back through a log, from a message on, and gives the id of the latest that a test finds; if it finds none, the
 * id before the earliest that is kept.
 */
export async function scanBackwards(
  store: Pick<Store, 'read'>,
  session: string,
  from: number,
  isFound: (entry: LogEntry) => boolean,
): Promise<number> {
  let end = from
  let count = PAGE_ENTRIES
  while (end > 0) {
    const after = Math.max(0, end - count)
    const page = await readBack(store, session, after, end - after)
    if (page === undefined) {
      // Some of them are not kept any more: look one by one, up to the earliest that is.
      if (count === 1) return end
      count = 1
      continue
    }
    const found = page.findLast(isFound)
    if (found !== undefined) return found.id
    end = after
    if (count > 1) count = Math.min(count * 2, MAX_PAGE_ENTRIES)
  }
  return end
}

async function readBack(
  store: Pick<Store, 'read'>,
  session: string,
  after: number,
  limit: number,
): Promise<readonly LogEntry[] | undefined> {
  try {
    return await store.read(session, after, limit)
  } catch (error) {
    if (isMillraceError(error) && error.code === 'cursor_trimmed') return undefined
    throw error
  }
}
