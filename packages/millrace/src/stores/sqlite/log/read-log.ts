import { compareLog, cursorTrimmed, type LogEntry, sessionUnknown } from '../../port/index.ts'
import { checkedOldBytesAt, numberAt, pagePlace } from '../file/columns.ts'
import type { Row } from '../file/connection.ts'
import { findSession } from '../reading/session-info.ts'
import { decodePage } from './line-bytes.ts'
import type { SessionState } from '../reading/live-sessions.ts'
import type { ReadSources } from '../reading/session-reads.ts'
import { type SharedLog, sharedLogs } from './shared-logs.ts'
import { storeDamaged } from '../file/store-errors.ts'

/**
 * Reads up to `limit` frames after an id, from memory if possible. Returns undefined if a branch shares frames that are neither in memory
 * nor in pages: they are in the journal, written by another process or by a commit that is not yet in memory.
 */
export function readLog(
  sources: ReadSources,
  name: string,
  after: number,
  limit: number,
  log?: string,
): readonly LogEntry[] | undefined {
  const held = sources.live.get(name)
  if (held === undefined || after < held.base)
    return readPages(sources, name, { after, limit, entries: [] }, log)
  compareLog(name, log, held.log)
  if (after < held.earliest - 1) throw cursorTrimmed(after, held.earliest)
  return held.read(after, limit)
}

/** A range of frames, with the frames found so far. */
interface Reading {
  readonly after: number
  readonly limit: number
  readonly entries: LogEntry[]
}

function readPages(
  sources: ReadSources,
  name: string,
  reading: Reading,
  log: string | undefined,
): readonly LogEntry[] | undefined {
  const { reader } = sources
  return reader.snapshot(() => {
    const state = findSession(reader.statements, name)
    if (state === undefined) throw sessionUnknown(name)
    compareLog(name, log, state.log)
    const { after, entries } = reading
    if (after < state.earliest - 1) throw cursorTrimmed(after, state.earliest)
    const isWhole = logsAfter(sources, name, state, after).every((one) =>
      readOwn(sources, one, reading),
    )
    return isWhole ? entries : undefined
  })
}

/** Returns the logs that hold the frames of a session after an id, in the order of their frames. */
function logsAfter(
  { reader, live }: ReadSources,
  name: string,
  { number, log, tail, parent }: SessionState,
  after: number,
): readonly SharedLog[] {
  const held = live.get(name)
  const frame = held?.number === number ? Math.max(tail, held.tail) : tail
  const logs: SharedLog[] = [{ number, log, session: name, frame }]
  for (const shared of sharedLogs(parent, reader.findShared)) {
    if (shared.frame <= after) break
    logs.push(shared)
  }
  return logs.reverse()
}

/** Adds the frames of one log up to a frame; false if the last of them are not available yet. */
function readOwn(
  { reader, live }: ReadSources,
  { number, session, frame }: SharedLog,
  { after, limit, entries }: Reading,
): boolean {
  const last = (): number => after + entries.length
  const room = (): number => Math.min(limit - entries.length, frame - last())
  while (room() > 0) {
    const row = reader.statements.nextPage.get(number, last())
    if (row === undefined) break
    entries.push(...readPage(row, number, last(), room()))
  }
  const held = live.get(session)
  if (room() > 0 && held?.number === number && last() >= held.base)
    entries.push(...held.read(last(), room()))
  if (room() <= 0) return true
  const stored = numberAt(reader.statements.findTail.get(number) ?? [], 0)
  if (stored > last()) throw messageMissing(last() + 1)
  return false
}

/** Returns up to `limit` frames after an id, from the page that holds the next one. */
function readPage(row: Row, session: number, after: number, limit: number): readonly LogEntry[] {
  const last = numberAt(row, 0)
  const lines = decodePage(checkedOldBytesAt(row, 2, pagePlace(session, last)))
  const skipped = after - (last - lines.length)
  if (skipped < 0) throw messageMissing(after + 1)
  return lines
    .slice(skipped, skipped + limit)
    .map((line, index) => ({ id: after + index + 1, line }))
}

function messageMissing(id: number): Error {
  return storeDamaged(`frame ${id} of a session is missing`)
}
