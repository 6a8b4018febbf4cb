import { decodeEnvelope } from '../../envelope/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { LogEntry, Store } from '../../store/index.ts'
import { isPayload, type ViewRules } from './view-rules.ts'

const PAGE_ENTRIES = 64
const decoder = new TextDecoder()

/**
 * The id after which a reader with a view begins to look: that of its cursor, unless the cursor falls into a block of
 * JSON from which members are taken out. The messages of such a block are stored at once, and so stand together.
 */
export async function findPayloadStart(
  store: Store,
  rules: ViewRules,
  after: number,
): Promise<number> {
  let start = after
  let count = PAGE_ENTRIES
  while (start > 0) {
    const from = Math.max(0, start - count)
    const page = await readBack(store, rules.session, from, start - from)
    if (page === undefined) {
      // Some of them are not kept any more: look one by one, up to the earliest that is.
      if (count === 1) return start
      count = 1
      continue
    }
    const before = page.findLast((entry) => !isOpenPayload(rules, entry))
    if (before !== undefined) return before.id
    start = from
  }
  return start
}

async function readBack(
  store: Store,
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

function isOpenPayload(rules: ViewRules, { line }: LogEntry): boolean {
  try {
    const { type, final } = decodeEnvelope(decoder.decode(line))
    return !final && isPayload(type) && rules.fieldsOf(type).size > 0
  } catch {
    return false
  }
}
