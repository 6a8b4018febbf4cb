import { isMillraceError } from '../../errors/index.ts'
import {
  createDecoder,
  frameStart,
  isDecision,
  type StatusEvent,
  wireTypeOf,
} from '../../events/index.ts'
import type { LogEntry, Store } from '../../stores/port/index.ts'
import { hasAt } from '../feeds/line-bytes.ts'
import { createPageReader, pinLog, type ReadPage } from '../feeds/page-reader.ts'
import type { UsedSession } from './load-session.ts'
import type { ViewRules } from '../views/view-rules.ts'
import { waitForTurn } from '../timing.ts'

/** Maximum frames scanned for one request; a client continues from there. */
const MAX_SCANNED = 20_000

const decoder = new TextDecoder()
/** Matches the name of a field; within a string its quotes would be escaped. */
const decisionMark = /,"(?:at|more)":/
const statusStart = frameStart('tool_status')

/** The requested range of a session's decisions. */
interface DecisionRange {
  /** Only decisions with a higher id. */
  readonly after: number
  readonly limit: number
}

/** Reads decisions of a session from their frames, oldest first, as a view shows them. [APR-5] */
export async function readDecisions(
  store: Store,
  { info, head }: UsedSession,
  { after, limit, rules }: DecisionRange & { readonly rules: ViewRules | undefined },
) {
  const { session, log, tail, earliest } = info
  const { lastDecision = tail } = head ?? {}
  const decisions: DecisionView[] = []
  // The earliest retained frame may continue an event that began earlier.
  const bound = earliest > 1 ? Math.max(after, earliest) : after
  const finder = createFinder()
  const readPage = createPageReader({ store: pinLog(store, log), session })
  // The frame before shows whether the next one continues an event.
  let cursor = Math.max(bound - 1, 0)
  const end = Math.min(cursor + MAX_SCANNED, lastDecision)
  while (decisions.length < limit && (cursor < end || finder.isOpen())) {
    const entries = await readKept(readPage, cursor, lastDecision)
    if (entries === undefined || entries.length === 0) break
    for (const entry of entries) {
      cursor = entry.id
      const found = finder.push(entry)
      if (found === undefined || found.id <= bound) continue
      decisions.push(...toDecisionView(found.id, found.event, rules))
      if (decisions.length === limit) break
    }
    await waitForTurn()
  }
  return {
    decisions,
    cursor: Math.max(cursor, after),
    has_more: cursor < lastDecision,
    earliest,
  }
}

/** Reads a page; undefined if the store has dropped its start meanwhile. */
async function readKept(
  readPage: ReadPage,
  after: number,
  upTo: number,
): Promise<readonly LogEntry[] | undefined> {
  try {
    return (await readPage(after, upTo)).entries
  } catch (error) {
    if (isMillraceError(error) && error.code === 'cursor_trimmed') return undefined
    throw error
  }
}

/** Creates a finder of decisions among frames; an event has the id of its first frame. */
function createFinder() {
  const events = createDecoder()
  let first: number | undefined
  return {
    isOpen: () => first !== undefined,
    push({ id, line }: LogEntry) {
      if (!hasAt(line, statusStart, 0)) return undefined
      const text = decoder.decode(line)
      // Most frames report the progress of a tool in one chunk: neither a decision nor the start of one.
      if (first === undefined && !decisionMark.test(text)) return undefined
      first ??= id
      const event = events.decode(text, id)
      if (event?.type !== 'tool_status') return undefined
      const found = { id: first, event }
      first = undefined
      return isDecision(event) ? found : undefined
    },
  }
}

type DecisionView = ReturnType<typeof toDecisionView>[number]

function toDecisionView(id: number, event: StatusEvent, rules: ViewRules | undefined) {
  const type = wireTypeOf(event)
  if (rules?.hidesType(type) === true || rules?.hidesAgent(event.agent) === true) return []
  const hidden = rules?.fieldsOf(type)
  const shown = (field: string, value: string): string => (hidden?.has(field) === true ? '' : value)
  const fields = Object.entries(event.fields).filter(([field]) => hidden?.has(field) !== true)
  const { by = null, at, input_hash, edited = false } = Object.fromEntries(fields)
  const detail = shown('delta', event.detail)
  return [
    {
      id,
      tool_use_id: event.callId,
      agent: event.agent,
      name: shown('name', event.name),
      outcome: shown('stage', event.stage),
      by,
      at,
      input_hash,
      edited,
      ...(detail !== '' &&
        (edited === true ? { input: JSON.parse(detail) as unknown } : { reason: detail })),
    },
  ]
}
