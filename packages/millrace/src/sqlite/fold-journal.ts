import { checkedBytesAt, numberAt, sumOf, textAt } from './columns.ts'
import type { Statements } from './connection.ts'
import { decodeJournal } from './journal-bytes.ts'
import { encodePage } from './line-bytes.ts'
import { earliestToKeep, type Retention } from './retention.ts'
import type { writeTexts } from './statements.ts'
import { storeDamaged } from './store-errors.ts'

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
const maxPageBytes = 65_536
const maxPageLines = 256

interface Gathered {
  readonly first: number
  readonly lines: Uint8Array[]
  writtenAt: number
}

/** Moves what the journal holds to the pages of its sessions, and makes it empty. Runs inside of a transaction. */
export function foldJournal(
  statements: Statements<typeof writeTexts>,
  retention: Retention,
): Folded {
  const sessions: FoldedSession[] = []
  const texts: string[] = []
  let written = numberAt(statements.lastWritten.get() ?? [], 0)
  const found = gather(statements)
  for (const [number, gathered] of found) {
    const row = statements.findNumber.get(number)
    // It was removed after it had been written to.
    if (row === undefined) continue
    const [name, before, kept] = [textAt(row, 0), numberAt(row, 1), numberAt(row, 2)]
    if (gathered.first !== before + 1) throw storeDamaged(`messages of session ${name} are missing`)
    const tail = before + gathered.lines.length
    addPages(statements, number, gathered)
    const earliest = earliestToKeep(kept, tail, retention)
    if (earliest > kept) texts.push(toTrimText(number, earliest))
    statements.setLog.run(number, tail, earliest, ++written, gathered.writtenAt)
    sessions.push({ name, earliest })
  }
  if (found.size > 0) statements.clearJournal.run()
  return { sessions, texts }
}

/** The lines of each session, the one that was written to last at the end. */
function gather(statements: Statements<typeof writeTexts>): ReadonlyMap<number, Gathered> {
  const found = new Map<number, Gathered>()
  for (let last = 0; ;) {
    const row = statements.nextJournal.get(last)
    if (row === undefined) return found
    last = numberAt(row, 0)
    for (const { session, first, lines } of decodeJournal(checkedBytesAt(row, 3))) {
      const gathered = found.get(session) ?? { first, lines: [], writtenAt: 0 }
      for (const line of lines) gathered.lines.push(line)
      gathered.writtenAt = numberAt(row, 1)
      // A Map keeps the order in which keys were set.
      found.delete(session)
      found.set(session, gathered)
    }
  }
}

function addPages(
  statements: Statements<typeof writeTexts>,
  number: number,
  { first, lines }: Gathered,
): void {
  for (let start = 0; start < lines.length;) {
    const page = takePage(lines, start)
    start += page.length
    const bytes = encodePage(page)
    statements.addPage.run(number, first + start - 1, sumOf(bytes), bytes)
  }
}

function takePage(lines: readonly Uint8Array[], start: number): readonly Uint8Array[] {
  let bytes = 0
  let end = start
  do bytes += lines[end++]?.length ?? 0
  while (end < lines.length && end - start < maxPageLines && bytes < maxPageBytes)
  return lines.slice(start, end)
}

function toTrimText(number: number, earliest: number): string {
  return `DELETE FROM pages WHERE key > (${number} << 32) AND key < ((${number} << 32) | ${earliest})`
}
