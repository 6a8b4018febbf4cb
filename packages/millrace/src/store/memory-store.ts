import { MillraceError } from '../errors/index.ts'
import { type MemorySession, toInfo, toRow, waitForMessage, wakeReaders } from './memory-session.ts'
import { createMemorySessions, type MemoryStoreOptions } from './memory-sessions.ts'
import type { Append, Store } from './store.ts'

/** Keeps sessions in this process; they are gone when it ends. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const sessions = createMemorySessions(options)
  return {
    open: async (name) => {
      const session = sessions.provide(name)
      session.epoch += 1
      sessions.touch(name)
      return toInfo(name, session)
    },

    info: async (name) => {
      const session = sessions.get(name)
      return session === undefined ? undefined : toInfo(name, session)
    },

    append: async (append) => {
      const session = sessions.find(append.session)
      compare(session, append)
      session.log.append(append.lines)
      session.record = append.record ?? session.record
      sessions.touch(append.session)
      wakeReaders(session)
      return session.log.tail()
    },

    read: async (name, after, limit) => sessions.find(name).log.read(after, limit),

    wait: async (name, after, signal) => waitForMessage(sessions.find(name), after, signal),

    list: async ({ limit, offset }) => {
      const all = sessions.newestFirst()
      const rows = all.slice(offset, offset + limit).map(([name, session]) => toRow(name, session))
      return { rows, total: all.length }
    },

    close: async () => sessions.close(),
  }
}

/** The fence: nothing may be awaited between this comparison and the write. [LOG-4] */
function compare({ epoch, log }: MemorySession, append: Append): void {
  const { session, tail } = append
  if (append.epoch !== epoch) {
    throw new MillraceError(
      'lease_lost',
      `Session ${session} has a newer writer (epoch ${epoch}, not ${append.epoch}); stop this run.`,
      { details: { epoch } },
    )
  }
  if (tail === log.tail()) return
  throw new MillraceError(
    'conflict',
    `Session ${session} ends at ${log.tail()}, not at ${tail}; nothing was stored. Look again before writing.`,
    { details: { tail: log.tail() } },
  )
}
