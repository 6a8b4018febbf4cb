import { numberAt } from '../file/columns.ts'
import type { FileIdentity } from '../file/file-identity.ts'
import type { LiveSessions } from '../reading/live-sessions.ts'
import type { Writer } from '../file/open-writer.ts'
import type { Retention } from '../log/retention.ts'
import { isPassing } from '../file/store-errors.ts'
import { createTransaction, type Transaction } from './transaction.ts'

/** What a committer works with, and whom it tells. */
export interface CommitterOptions {
  readonly openWriter: () => Promise<Writer>
  /** Compares the file with what is at its path, before a commit and before it is acknowledged. */
  readonly identity: FileIdentity
  readonly live: LiveSessions
  readonly retention: Retention
  /** The journal is folded when it has more; 1 MiB of 200 sessions takes eight milliseconds. Memory holds up to twice as much. */
  readonly maxJournalBytes: number
  /** Other processes read the file: nothing may wait in the journal, where they do not look. */
  readonly isShared: boolean
  readonly now: () => number
  readonly onWritten: (name: string, tail: number) => void
  readonly onRemoved: (name: string) => void
  /** Another process has written. */
  readonly onForeign: () => void
}

/** Carries out transactions, one at a time, and makes known what they did once it is committed. */
export interface Committer {
  /** Throws if nothing was committed. */
  commit(run: (transaction: Transaction) => void): Promise<void>
  /** Tells whether messages wait in the journal. */
  hasJournal(): boolean
  close(): Promise<void>
}

/** Builds a committer, which opens its file with the first commit. */
export function createCommitter(options: CommitterOptions): Committer {
  const { live, retention, maxJournalBytes, isShared, now, identity } = options
  let writer: Writer | undefined
  /** Changes when another connection has written. */
  let version: number | undefined
  let journalBytes = 0

  const forgetWriter = (): void => {
    writer?.close()
    writer = version = undefined
  }

  const publish = (transaction: Transaction, isForeign: boolean): void => {
    const folded = transaction.folded()
    journalBytes = transaction.addedBytes() + (folded ? 0 : journalBytes)
    if (isForeign) live.clear()
    else if (folded) live.age(folded)
    const { all, removed } = transaction.drafts
    for (const name of removed) {
      live.remove(name)
      options.onRemoved(name)
    }
    for (const [name, draft] of all) {
      if (draft === undefined) continue
      // Of a session that was not written to, only the inbox may have changed, which rows tell where memory does not.
      if (!isShared && (draft.isTouched || live.get(name))) live.publish(name, draft)
      options.onWritten(name, draft.tail)
    }
    if (isForeign) options.onForeign()
  }

  const attempt = async (run: (given: Transaction) => void): Promise<void> => {
    identity.check()
    writer ??= await options.openWriter()
    await writer.begin()
    const { statements, findShared } = writer
    const current = numberAt(statements.version.get() ?? [], 0)
    const isForeign = current !== version
    const known = { live: isForeign || isShared ? undefined : live, retention, now }
    const transaction = createTransaction({ statements, findShared, ...known })
    // What others left in the journal is not in our memory; in pages, rows alone tell the truth.
    if (isForeign) transaction.fold()
    run(transaction)
    transaction.finish((added) => journalBytes + added > maxJournalBytes)
    await writer.commit(transaction.texts)
    version = current
    publish(transaction, isForeign)
    identity.check()
  }

  return {
    commit: async (run) => {
      try {
        await attempt(run)
      } catch (error) {
        await writer?.rollback()
        if (!isPassing(error)) forgetWriter()
        throw error
      }
    },

    hasJournal: () => journalBytes > 0,

    close: async () => {
      await writer?.checkpoint()
      forgetWriter()
    },
  }
}
