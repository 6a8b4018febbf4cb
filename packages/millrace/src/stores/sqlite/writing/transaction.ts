import { REMEMBERED_MS } from '../../port/index.ts'
import { sumOf } from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import { createDrafts, type Draft, type Drafts, noLines } from './drafts.ts'
import { Extents } from '../log/extents.ts'
import { foldJournal, isOverfull, readJournal, type Retention } from '../log/fold-journal.ts'
import { encodeJournal, type JournalEntry } from '../log/journal-bytes.ts'
import type { LiveSessions, UnfoldedSession } from '../reading/live-sessions.ts'
import { removeSession, toTrimText } from './remove-session.ts'
import type { FindShared } from '../log/shared-logs.ts'
import type { writeTexts } from '../file/statements.ts'

interface TransactionOptions {
  readonly statements: Statements<typeof writeTexts>
  readonly findShared: FindShared
  /** Undefined if memory may differ from the file. */
  readonly live: LiveSessions | undefined
  readonly retention: Retention
  readonly now: () => number
}

/** A transaction. It changes sessions as drafts, which are not visible before the commit. */
export interface Transaction {
  readonly statements: Statements<typeof writeTexts>
  /** Finds fork points. */
  readonly findShared: FindShared
  readonly now: () => number
  readonly drafts: Drafts
  /** Adds frames to a session. An empty list still counts as a write. */
  append(draft: Draft, lines: readonly Uint8Array[]): void
  /** Discards the frames of a session before an id. */
  trim(draft: Draft, before: number): void
  remove(draft: Draft): void
  /** Moves all frames to pages, including those of this transaction. */
  fold(): void
  /** Writes the drafts to the journal, and folds it if the given number of added bytes requires it. */
  finish(isFoldDue: (addedBytes: number) => boolean): void
  /** SQL texts to execute before the commit. */
  readonly texts: readonly string[]
  /** Returns the earliest frames of the folded sessions; undefined if the journal was not folded. */
  folded(): ReadonlyMap<string, number> | undefined
  /** Returns the growth of the journal since its last fold or the start of the transaction. */
  addedBytes(): number
}

/** Creates a transaction. The caller begins and ends the SQLite transaction. */
export function createTransaction(options: TransactionOptions): Transaction {
  const { statements, findShared, live, retention, now } = options
  const drafts = createDrafts(statements, live)
  /** Drafts that are not in the journal yet, in the order of the last write. */
  const touched = new Set<Draft>()
  const texts: string[] = []
  let folded: Map<string, number> | undefined
  let addedBytes = 0
  let isTrimDue = false

  const writeJournal = (): void => {
    addedBytes += journal([...touched], statements, now())
    touched.clear()
  }

  const fold = (): void => {
    writeJournal()
    const unfolded = live
      ? findUnfolded(live, drafts, folded !== undefined)
      : readJournal(statements)
    const { sessions, texts: trimming } = foldJournal(statements, unfolded, retention)
    texts.push(...trimming)
    folded ??= new Map()
    for (const draft of drafts.all.values()) if (draft) draft.journaledAt = undefined
    for (const { name, earliest } of sessions) {
      folded.set(name, earliest)
      const draft = drafts.all.get(name)
      if (draft) draft.earliest = earliest
    }
    addedBytes = 0
    isTrimDue = false
  }

  return {
    statements,
    findShared,
    now,
    drafts,
    append: (draft, lines) => {
      // A session has one writer with one append at a time, so a second append in a transaction is rare.
      draft.lines = draft.lines.length === 0 ? lines : [...draft.lines, ...lines]
      draft.tail += lines.length
      if (draft.isTouched) touched.delete(draft)
      drafts.touch(draft)
      touched.add(draft)
      isTrimDue ||= isOverfull(draft.earliest, draft.tail, retention)
    },
    trim: (draft, before) => void texts.push(...trim(statements, draft, before, fold)),
    remove: (draft) => {
      rememberRemoved(statements, draft, now())
      texts.push(...removeSession(statements, draft.number, fold))
      drafts.remove(draft)
      touched.delete(draft)
    },
    fold,
    finish: (isFoldDue) => {
      writeJournal()
      if (isTrimDue || isFoldDue(addedBytes)) fold()
    },
    texts,
    folded: () => folded,
    addedBytes: () => addedBytes,
  }
}

/** Stores the generation of a session for the next one of its name. */
function rememberRemoved(
  { dropGone, addGone }: Statements<typeof writeTexts>,
  { number }: Draft,
  now: number,
): void {
  dropGone.run(now - REMEMBERED_MS)
  addGone.run(number, now)
}

/** Discards the frames before an id; returns the statements to execute before the commit. */
function trim(
  statements: Statements<typeof writeTexts>,
  draft: Draft,
  before: number,
  fold: () => void,
): readonly string[] {
  const earliest = Math.min(before, draft.tail + 1)
  if (earliest <= draft.earliest) return []
  // Only pages can be deleted. Folding may have raised `earliest` further.
  fold()
  draft.earliest = Math.max(draft.earliest, earliest)
  statements.setEarliest.run(draft.number, draft.earliest)
  return [toTrimText(draft.number)]
}

/** Writes the added frames of all drafts as one row, and returns its size. */
function journal(
  drafts: readonly Draft[],
  statements: Statements<typeof writeTexts>,
  journaledAt: number,
): number {
  if (drafts.length === 0) return 0
  const bytes = encodeJournal(drafts.map(toEntry), (index, extent) => {
    const draft = drafts[index] as Draft
    draft.extents = [...draft.extents, extent]
    draft.lines = noLines
    draft.journaledAt = journaledAt
  })
  statements.addJournal.run(journaledAt, sumOf(bytes), bytes)
  return bytes.length
}

function toEntry({ number, tail, lines }: Draft): JournalEntry {
  return { session: number, first: tail - lines.length + 1, lines }
}

/** Finds the frames that are not in pages: those of earlier transactions, unless this one has folded them, then those of this one. */
function findUnfolded(
  live: LiveSessions,
  drafts: Drafts,
  hasFolded: boolean,
): Iterable<UnfoldedSession> {
  const found = new Map(hasFolded ? [] : live.unfolded())
  for (const [name, draft] of drafts.all) {
    if (draft === undefined) found.delete(name)
    if (draft?.journaledAt === undefined) continue
    const { number, tail, journaledAt: writtenAt } = draft
    const held = live.get(name)
    const extents = held?.number === number ? held.extents.copy() : new Extents()
    for (const extent of draft.extents) extents.add(extent)
    found.delete(name)
    found.set(name, { number, base: tail - extents.lines, extents, writtenAt })
  }
  return found.values()
}
