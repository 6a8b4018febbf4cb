import { isMillraceError } from '../../errors/index.ts'
import { decodeEnvelope, frameStart } from '../../events/index.ts'
import type { LogEntry, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import { createPageReader } from '../feeds/page-reader.ts'
import { type ReaderPosition, VoidSteps } from '../feeds/void-steps.ts'
import type { LogRange } from '../runs/run-services.ts'
import { waitForTurn } from '../timing.ts'
import { isPayload, type ViewRules } from '../views/view-rules.ts'
import type { ReadFramesOptions } from './log-reader.ts'

/** The position at which a reader begins to scan, and the steps that are left out for it. */
interface ReadStart {
  /** The id after which frames are scanned. Frames up to the reader's cursor only affect how later ones are encoded. */
  readonly after: number
  readonly voidSteps?: VoidSteps
}

/** Whether a reader must look at frames before its cursor. */
export function needsStart(options: ReadFramesOptions): boolean {
  const { view, format } = options
  return view !== undefined || format !== undefined || mayHide(options)
}

/** Finds the start for a reader with a format, a view or void steps. */
export async function findStart(options: ReadFramesOptions): Promise<ReadStart> {
  const { store, view, format, after } = options
  const isHiding = mayHide(options)
  const run = format !== undefined || isHiding ? await findRunStart(store, options, after) : after
  const own = view === undefined ? after : await findPayloadStart(store, view, after)
  const begin = { after: format === undefined ? own : run }
  if (!isHiding) return begin
  const { tail = after, lastRollback = tail } = options
  const upTo = Math.min(tail, lastRollback)
  const voidSteps = await findVoidSteps({ ...options, start: run, upTo })
  return voidSteps.isEmpty ? begin : { ...begin, voidSteps }
}

/** Whether frames up to the tail may be void. Readers that asked for every single frame get all. [LOG-10] */
function mayHide(options: ReadFramesOptions): boolean {
  const { after, tail = 0, lastRollback = tail, hidden = [], isCompact = true } = options
  return isCompact && (Math.min(tail, lastRollback) > after || hidden.length > 0)
}

/** The range in which to find void steps. */
interface FindVoidSteps extends ReaderPosition {
  readonly store: Pick<Store, 'read'>
  /** The id after which the reader's run begins. */
  readonly start: number
  /** The id of the last frame to scan. */
  readonly upTo: number
}

/** Scans a log once, page by page, for steps that were rolled back. [LOG-10] */
async function findVoidSteps({ store, start, upTo, ...place }: FindVoidSteps): Promise<VoidSteps> {
  const steps = new VoidSteps(place, start)
  const readPage = createPageReader({ store, session: place.session })
  for (;;) {
    const { entries, isLast } = await readPage(steps.scanned, upTo)
    steps.scan(entries)
    if (isLast || entries.length === 0) return steps
    await waitForTurn()
  }
}

const decoder = new TextDecoder()

/**
 * Finds the id after which a reader with a view starts to scan: its cursor, or the start of a JSON block around it from which
 * members are removed. The frames of such a block are stored in one append and so are adjacent.
 */
function findPayloadStart(
  store: Pick<Store, 'read'>,
  rules: ViewRules,
  after: number,
): Promise<number> {
  return scanBackwards(store, rules.session, after, (entry) => !isOpenPayload(rules, entry))
}

function isOpenPayload(rules: ViewRules, { line }: LogEntry): boolean {
  try {
    const { type, final } = decodeEnvelope(decoder.decode(line))
    return !final && isPayload(type) && rules.fieldsOf(type).size > 0
  } catch {
    return false
  }
}

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
