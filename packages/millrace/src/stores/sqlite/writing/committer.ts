import { numberAt } from '../file/columns.ts'
import type { FileIdentity } from '../file/provide-file.ts'
import type { LiveSessions } from '../reading/live-sessions.ts'
import type { Writer } from '../file/open-writer.ts'
import type { Retention } from '../log/fold-journal.ts'
import { keepsConnection } from '../file/store-errors.ts'
import { createTransaction, type Transaction } from './transaction.ts'

interface CommitterOptions {
  readonly openWriter: () => Promise<Writer>
  /** Compares the open file with the file at its path, before a commit and before its acknowledgement. */
  readonly identity: FileIdentity
  readonly live: LiveSessions
  readonly retention: Retention
  /** Journal size that causes a fold; folding 1 MiB of 200 sessions takes eight milliseconds. Memory holds up to twice as much. */
  readonly maxJournalBytes: number
  /** Whether other processes read the file. They do not read the journal, so every commit is folded. */
  readonly isShared: boolean
  readonly now: () => number
  readonly onWritten: (name: string, tail: number) => void
  readonly onRemoved: (name: string) => void
  /** Called when another process has written. */
  readonly onForeign: () => void
}

/** Runs transactions one at a time, and publishes their changes after the commit. */
export type Committer = ReturnType<typeof createCommitter>

/** Creates a committer. It opens the file with the first commit. */
export function createCommitter(options: CommitterOptions) {
  const { live, retention, maxJournalBytes, isShared, now, identity } = options
  let writer: Writer | undefined
  /** Changes with every write of another connection. */
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
      // For a session without new frames, only the inbox may have changed. Rows have it even if memory does not.
      if (!isShared && (draft.isTouched || live.get(name))) live.publish(name, draft)
      options.onWritten(name, draft.tail)
    }
    if (isForeign) options.onForeign()
  }

  const attempt = async (run: (given: Transaction) => void): Promise<void> => {
    identity.check()
    writer ??= await options.openWriter()
    await writer.begin()
    const current = numberAt(writer.statements.version.get() ?? [], 0)
    const isForeign = current !== version
    if (isForeign) writer.checkVersion()
    const known = { live: isForeign || isShared ? undefined : live, retention, now }
    const transaction = createTransaction({ ...writer, ...known })
    // Journal entries of other processes are not in memory. After folding, the rows are complete.
    if (isForeign) transaction.fold()
    run(transaction)
    transaction.finish((added) => journalBytes + added > maxJournalBytes)
    await writer.commit(transaction.texts)
    version = current
    publish(transaction, isForeign)
    identity.check()
  }

  return {
    /** Throws if nothing was committed. */
    commit: async (run: (transaction: Transaction) => void) => {
      try {
        await attempt(run)
      } catch (error) {
        await writer?.rollback()
        if (!keepsConnection(error)) forgetWriter()
        throw error
      }
    },

    hasJournal: (): boolean => journalBytes > 0,

    close: async () => {
      await writer?.checkpoint().finally(forgetWriter)
    },
  }
}
