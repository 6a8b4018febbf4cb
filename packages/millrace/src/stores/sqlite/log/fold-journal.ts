import { checkedBytesAt, numberAt, sumOf, textAt } from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import { Extents } from './extents.ts'
import { findEntries } from './journal-bytes.ts'
import type { UnfoldedSession } from '../reading/live-sessions.ts'
import { pagePlace } from '../file/places.ts'
import { toTrimText } from './removal-texts.ts'
import { earliestToKeep, type Retention } from './retention.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** A session whose messages have moved to pages. */
export interface FoldedSession {
  readonly name: string
  readonly earliest: number
}

/** What folding came to. */
export interface Folded {
  readonly sessions: readonly FoldedSession[]
  /** What is left to run before the commit; it may take long, and needs no thread of ours. */
  readonly texts: readonly string[]
}

/** A row of `pages` is not larger, so that a reader never holds much for the sake of one message. */
const pageLimits = { maxLines: 256, maxBytes: 65_536 }

/**
 * Moves what the journal holds to the pages of its sessions, and makes it empty. Runs inside of a transaction. The
 * sessions come with the one that was written to last at the end; {@link readJournal} finds them where memory has not.
 */
export function foldJournal(
  statements: Statements<typeof writeTexts>,
  unfolded: Iterable<UnfoldedSession>,
  retention: Retention,
): Folded {
  const sessions: FoldedSession[] = []
  const texts: string[] = []
  let written = numberAt(statements.lastWritten.get() ?? [], 0)
  for (const session of unfolded) {
    const { number } = session
    const row = statements.findNumber.get(number)
    // It was removed after it had been written to.
    if (row === undefined) continue
    const [name, before, kept] = [textAt(row, 0), numberAt(row, 1), numberAt(row, 2)]
    const tail = addPages(statements, session, name, before)
    const earliest = earliestToKeep(kept, tail, retention)
    if (earliest > kept) texts.push(toTrimText(number))
    statements.setLog.run(number, tail, earliest, ++written, session.writtenAt)
    sessions.push({ name, earliest })
  }
  // To clear it writes, even where it is empty; what it holds may all be of sessions that were removed.
  if (statements.firstJournal.get() !== undefined) statements.clearJournal.run()
  return { sessions, texts }
}

/** What the rows of the journal hold of each session. */
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
      // A Map keeps the order in which keys were set.
      found.delete(number)
      found.set(number, { number, base, extents, writtenAt })
    }
  }
}

/** Adds what follows the last message in pages; gives the id of the new last one. */
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
  return storeDamaged(`messages of session ${session} are missing`)
}
