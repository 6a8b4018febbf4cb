import { checkedBytesAt, numberAt, pagePlace, sumOf, textAt } from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import { Extents } from './extents.ts'
import { findEntries } from './journal-bytes.ts'
import type { UnfoldedSession } from '../reading/live-sessions.ts'
import { toTrimText } from '../writing/remove-session.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** A session whose frames were moved to pages. */
interface FoldedSession {
  readonly name: string
  readonly earliest: number
}

/** Maximum size of a row of `pages`, which bounds the bytes that a read of one frame loads. */
const pageLimits = { maxLines: 256, maxBytes: 65_536 }

/**
 * Moves the journal to the pages of its sessions and empties it, inside a transaction. `unfolded` is in the order of the last write; if
 * memory does not have it, use {@link readJournal}.
 */
export function foldJournal(
  statements: Statements<typeof writeTexts>,
  unfolded: Iterable<UnfoldedSession>,
  retention: Retention,
) {
  const sessions: FoldedSession[] = []
  const texts: string[] = []
  let written = numberAt(statements.lastWritten.get() ?? [], 0)
  for (const session of unfolded) {
    const { number } = session
    const row = statements.findNumber.get(number)
    // The session was removed after the write.
    if (row === undefined) continue
    const [name, before, kept] = [textAt(row, 0), numberAt(row, 1), numberAt(row, 2)]
    const tail = addPages(statements, session, name, before)
    const earliest = earliestToKeep(kept, tail, retention)
    if (earliest > kept) texts.push(toTrimText(number))
    statements.setLog.run(number, tail, earliest, ++written, session.writtenAt)
    sessions.push({ name, earliest })
  }
  // DELETE writes even to an empty table. The journal may hold only frames of removed sessions, so `sessions` cannot decide this.
  if (statements.firstJournal.get() !== undefined) statements.clearJournal.run()
  return {
    sessions,
    /** SQL texts to execute before the commit. They may take long, and run on another thread. */
    texts,
  }
}

/** Reads the sessions with frames in the journal. */
export function readJournal(statements: Statements<typeof writeTexts>): Iterable<UnfoldedSession> {
  const found = new Map<number, UnfoldedSession>()
  for (let last = 0; ;) {
    const row = statements.nextJournal.get(last)
    if (row === undefined) return found.values()
    last = numberAt(row, 0)
    const writtenAt = numberAt(row, 1)
    const bytes = checkedBytesAt(row, 3)
    for (const entry of findEntries(bytes)) {
      const { session: number, first } = entry
      const { base, extents } = found.get(number) ?? { base: first - 1, extents: new Extents() }
      if (first !== base + extents.lines + 1) throw messagesMissing(`number ${number}`)
      extents.add(entry)
      // Keys of a Map keep their insertion order.
      found.delete(number)
      found.set(number, { number, base, extents, writtenAt })
    }
  }
}

/** Adds pages after the last frame in pages, and returns the id of the new last one. */
function addPages(
  statements: Statements<typeof writeTexts>,
  { number, base, extents }: UnfoldedSession,
  name: string,
  before: number,
): number {
  let last = before
  if (base > before) throw messagesMissing(name)
  for (const { count, bytes } of extents.pages(before - base, pageLimits)) {
    last += count
    statements.addPage.run(number, last, sumOf(bytes, pagePlace(number, last)), bytes)
  }
  return last
}

function messagesMissing(session: string): Error {
  return storeDamaged(`frames of session ${session} are missing`)
}

/** Limits of the stored frames of a session. */
export interface Retention {
  readonly maxMessages: number
  /** Number of frames that are dropped at once, so that few appends bear the cost. */
  readonly blockMessages: number
}

/** Creates the retention for a maximum number of frames. */
export function createRetention(maxMessages: number): Retention {
  return { maxMessages, blockMessages: Math.min(1024, Math.ceil(maxMessages / 4)) }
}

/** Whether a session exceeds the maximum by a block or more. */
export function isOverfull(earliest: number, tail: number, retention: Retention): boolean {
  return tail - earliest + 1 >= retention.maxMessages + retention.blockMessages
}

/** Returns the id of the first frame to keep. */
function earliestToKeep(earliest: number, tail: number, retention: Retention): number {
  return isOverfull(earliest, tail, retention) ? tail - retention.maxMessages + 1 : earliest
}
