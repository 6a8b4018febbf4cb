import { checkOptions, type OptionTypes } from '../../errors/index.ts'
import { checkOwner, compareLog, sessionUnknown, type Store, storeClosed } from '../port/index.ts'
import {
  lookUp,
  readBranches,
  readFile,
  readFileIds,
  readInfo,
  readLeases,
  readList,
} from './reading/session-reads.ts'
import { createBranchWrites } from './writing/branch-writes.ts'
import { checkName } from './file/columns.ts'
import { readCommand, readCommands, readPending, readUnattended } from './reading/inbox-reads.ts'
import { createInboxWrites } from './writing/inbox-writes.ts'
import { readLog } from './log/read-log.ts'
import { readParts } from './reading/session-parts.ts'
import { createSessionWrites } from './writing/session-writes.ts'
import type { SqliteStoreOptions } from './sqlite-store-options.ts'
import { storeDamaged, toStoreError } from './file/store-errors.ts'
import { closeParts, openParts, type StoreParts } from './store-parts.ts'

const types: OptionTypes<SqliteStoreOptions> = {
  path: 'string',
  synchronous: 'string',
  maxMessagesPerSession: 'number',
  groupMs: 'number',
  busyTimeoutMs: 'number',
  shared: 'boolean',
  exclusive: 'boolean',
  pollMs: 'number',
  now: 'function',
}

/** Creates a store in one SQLite file. Acknowledged writes survive the end of the process. */
export function createSqliteStore(options: SqliteStoreOptions = {}): Store {
  checkOptions('createSqliteStore', options, types)
  return toStore(openParts(options))
}

/** Creates the store from its parts. */
export function toStore(parts: StoreParts): Store {
  const { commits, committer, commands, sources } = parts
  const { reading, close } = createLifetime(parts)
  return {
    isDurable: true,

    ...createSessionWrites(commits),

    ...createInboxWrites(commits),

    info: (name) => reading(() => readInfo(sources, checkName(name))),

    read: async (name, after, limit, log) => {
      const read = () => reading(() => readLog(sources, checkName(name), after, limit, log))
      const found = await read()
      if (found !== undefined) return found
      // The shared frames are in a journal that is not in memory. A transaction folds it, as in recovery.
      await commits.write(() => {})
      return (await read()) ?? Promise.reject(storeDamaged('frames of a branch are missing'))
    },

    ...createBranchWrites(commits),

    branches: (name, limit, log) =>
      reading(() => readBranches(sources, checkName(name), limit, log)),

    wait: async (name, after, signal, log) => {
      await reading(() => waitFor(parts, checkName(name), { after, signal, log }))
    },

    list: async (range) => {
      checkOwner(range.owner)
      // Rows do not include the journal.
      if (committer.hasJournal()) await commits.write((transaction) => transaction.fold())
      return reading(() => readList(sources, range))
    },

    leases: (limit, after) => reading(() => readLeases(sources, limit, after)),

    parts: (name, collection, range, log) =>
      reading(() => readParts(sources, { name: checkName(name), collection, range, log })),

    command: (name, key, log) =>
      reading(() => readCommand(sources, checkName(name), checkName(key), log)),

    pending: (name, log) => reading(() => readPending(sources, checkName(name), log)),
    commands: (name, after, limit, log) =>
      reading(() => readCommands(sources, checkName(name), { after, upTo: after + limit, log })),

    unattended: (limit, after) => reading(() => readUnattended(sources, limit, after)),

    file: (name, id) => reading(() => readFile(sources, checkName(name), checkName(id))),

    fileIds: (name) => reading(() => readFileIds(sources, checkName(name))),

    send: commands.send,

    onCommand: commands.onCommand,

    ping: async () => {
      await commits.write(({ statements, now }) => statements.setPulse.run(now()))
      await reading(() => lookUp(sources, ''))
    },

    close,
  }
}

function createLifetime(parts: StoreParts) {
  let recovery: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const recover = async (): Promise<void> => {
    try {
      // The first transaction folds the journal.
      await parts.commits.write(() => {})
    } catch (error) {
      recovery = undefined
      throw error
    }
  }

  return {
    /** Runs a read, after the journal of an earlier process was folded. */
    reading: async <T>(read: () => T): Promise<T> => {
      if (closing !== undefined) throw storeClosed()
      await (recovery ??= recover())
      if (closing !== undefined) throw storeClosed()
      try {
        return read()
      } catch (error) {
        throw toStoreError(error)
      }
    },
    close: () => (closing ??= closeParts(parts)),
  }
}

interface Wait {
  readonly after: number
  readonly signal: AbortSignal
  readonly log: string | undefined
}

/** Waits for a frame. Do not await between the check of the tail and the wait. */
function waitFor(
  { sources, waiters, news }: StoreParts,
  name: string,
  { after, signal, log }: Wait,
): Promise<void> | undefined {
  const state = lookUp(sources, name)
  if (state === undefined) throw sessionUnknown(name)
  compareLog(name, log, state.log)
  if (state.tail > after && !signal.aborted) return undefined
  news.watch()
  return waiters.wait(name, after, signal, state.log)
}
