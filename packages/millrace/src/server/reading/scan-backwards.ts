import { isMillraceError } from '../../errors/index.ts'
import type { LogEntry, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import type { LogRange } from '../runs/run-services.ts'
import { frameStart } from '../../events/index.ts'

const PAGE_ENTRIES = 64
const MAX_PAGE_ENTRIES = 512

/** Scans a log backwards from a frame. Resolves with the id of the latest match, or with the id before the earliest retained frame. */
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
      // Some frames were trimmed: step one by one to the earliest that is left.
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

/**
 * Finds the id after which the run of a frame begins: before the latest `meta_init` of the root agent up to it. Its frames are
 * stored in one append and so are adjacent. [LIFE-1]
 */
export async function findRunStart(
  store: Pick<Store, 'read'>,
  { session, root = session }: Pick<LogRange, 'session' | 'root'>,
  id: number,
): Promise<number> {
  const beginning = frameStart('run_start', root)
  const isBeginning = ({ line }: LogEntry): boolean => hasAt(line, beginning, 0)
  const last = await scanBackwards(store, session, id, isBeginning)
  return scanBackwards(store, session, last, (entry) => !isBeginning(entry))
}
