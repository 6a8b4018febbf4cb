import { resolve } from 'node:path'
import { claimOwnFile } from '../../own-files/index.ts'
import { createWaiters, sessionUnknown, storeClosed, type Waiters } from '../port/index.ts'
import { type Commands, createLocalCommands, createSharedCommands } from './commands.ts'
import { type Committer, createCommitter } from './writing/committer.ts'
import { holdFile, rememberFile } from './file/provide-file.ts'
import { findSession } from './reading/session-info.ts'
import { createForeignNews, type ForeignNews } from './file/foreign-news.ts'
import { createGroupCommit, type GroupCommit } from './writing/group-commit.ts'
import { createLiveSessions } from './reading/live-sessions.ts'
import { openReader } from './file/open-reader.ts'
import { openWriter } from './file/open-writer.ts'
import { createRetention } from './log/fold-journal.ts'
import type { ReadSources } from './reading/session-reads.ts'
import type { SqliteStoreOptions } from './sqlite-store-options.ts'

/** The parts of a store: its reader, its writer and the lists of waiting readers. */
export interface StoreParts {
  readonly sources: ReadSources
  readonly committer: Committer
  readonly commits: GroupCommit
  readonly waiters: Waiters
  readonly commands: Commands
  readonly news: ForeignNews
  /** Releases the file for other servers. */
  readonly release: () => void
}

/** Options of {@link openParts}, including those for tests. */
interface StorePartsOptions extends SqliteStoreOptions {
  readonly maxJournalBytes?: number
}

/** Poll intervals. Other processes write to a shared file frequently; they may remove sessions from any file. */
const SHARED_POLL_MS = 50
const POLL_MS = 1_000

/** Opens the file of a store, and creates the parts that read and write it. */
export function openParts({
  path = '.millrace/millrace.db',
  exclusive = false,
  ...options
}: StorePartsOptions): StoreParts {
  const file = resolve(path)
  const unlock = exclusive ? holdFile(file) : () => {}
  const unclaim = claimOwnFile(file)
  const release = (): void => {
    unclaim()
    unlock()
  }
  try {
    return { ...connectParts(file, options), release }
  } catch (error) {
    release()
    throw error
  }
}

function connectParts(file: string, options: StorePartsOptions): Omit<StoreParts, 'release'> {
  const { synchronous = 'full', busyTimeoutMs = 5_000 } = options
  const { maxMessagesPerSession = 1_000_000, groupMs = 5, now = Date.now } = options
  const { shared: isShared = false, maxJournalBytes = 1_048_576 } = options
  const { pollMs = isShared ? SHARED_POLL_MS : POLL_MS } = options
  const reader = openReader(file, busyTimeoutMs)
  const identity = rememberFile(file)
  const live = createLiveSessions()
  const waiters = createWaiters()
  const checkWaiters = (): void => {
    for (const name of waiters.names()) {
      const row = findSession(reader.statements, name)
      // Another process has removed the session. A new session of that name has another number.
      if (row?.number !== live.get(name)?.number) live.remove(name)
      const state = live.get(name) ?? row
      if (state) waiters.wake(name, state.tail, state.log)
      else waiters.dismiss(name, sessionUnknown(name))
    }
  }
  const committer = createCommitter({
    openWriter: () => openWriter({ path: file, synchronous, busyTimeoutMs }),
    identity,
    live,
    retention: createRetention(maxMessagesPerSession),
    maxJournalBytes: isShared ? 0 : maxJournalBytes,
    isShared,
    now,
    onWritten: waiters.wake,
    onRemoved: (name) => waiters.dismiss(name, sessionUnknown(name)),
    onForeign: checkWaiters,
  })
  const commits = createGroupCommit({ commit: committer.commit, groupMs })
  const parts = { sources: { reader, live, now }, committer, commits, waiters }
  const commands = isShared
    ? createSharedCommands(reader, commits, () => news.watch())
    : createLocalCommands()
  const news = createForeignNews({
    reader,
    pollMs,
    isWanted: () => (isShared && commands.hasListeners()) || waiters.names().length > 0,
    onNews: () => {
      checkWaiters()
      commands.deliver()
    },
  })
  return { ...parts, commands, news }
}

/** Commits accepted writes, rejects waits, and releases the file. */
export async function closeParts(parts: StoreParts): Promise<void> {
  const { sources, committer, commits, waiters, news, release } = parts
  news.close()
  waiters.dismissAll(storeClosed())
  // If folding fails, the journal is folded when the file is opened again.
  commits.write((transaction) => transaction.fold()).catch(() => {})
  await commits.close()
  await committer.close().catch(() => {})
  sources.reader.close()
  release()
}
