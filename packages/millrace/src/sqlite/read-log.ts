import { compareLog, cursorTrimmed, type LogEntry, sessionUnknown } from '../store/index.ts'
import { checkedBytesAt, numberAt } from './columns.ts'
import type { Row } from './connection.ts'
import { findSession } from './find-session.ts'
import { decodePage } from './line-bytes.ts'
import type { LiveSession } from './live-sessions.ts'
import type { ReadSources } from './session-reads.ts'
import { storeDamaged } from './store-errors.ts'

/** Up to `limit` messages after an id, from memory if it has them. */
export function readLog(
  sources: ReadSources,
  name: string,
  after: number,
  limit: number,
  log?: string,
): readonly LogEntry[] {
  const held = sources.live.get(name)
  if (held === undefined || after < held.base)
    return readPages(sources, { name, after, limit, log }, held)
  compareLog(name, log, held.log)
  if (after < held.earliest - 1) throw cursorTrimmed(after, held.earliest)
  return held.read(after, limit)
}

interface PageRange {
  readonly name: string
  readonly after: number
  readonly limit: number
  readonly log: string | undefined
}

function readPages(
  { reader }: ReadSources,
  { name, after, limit, log }: PageRange,
  held: LiveSession | undefined,
): readonly LogEntry[] {
  const entries: LogEntry[] = []
  const tail = reader.snapshot(() => {
    const state = findSession(reader.statements, name)
    if (state === undefined) throw sessionUnknown(name)
    compareLog(name, log, state.log)
    if (after < state.earliest - 1) throw cursorTrimmed(after, state.earliest)
    while (entries.length < limit && after + entries.length < state.tail) {
      const row = reader.statements.nextPage.get(state.number, after + entries.length)
      addPage(entries, row, after, limit)
    }
    return after + entries.length
  })
  if (held && tail >= held.base) entries.push(...held.read(tail, limit - entries.length))
  return entries
}

function addPage(entries: LogEntry[], row: Row | undefined, after: number, limit: number): void {
  const next = after + entries.length + 1
  const lines = row ? decodePage(checkedBytesAt(row, 2)) : []
  const first = row ? numberAt(row, 0) - lines.length + 1 : Infinity
  if (first > next) throw storeDamaged(`message ${next} of a session is missing`)
  const room = limit - entries.length
  for (const line of lines.slice(next - first, next - first + room)) {
    entries.push({ id: after + entries.length + 1, line })
  }
}
