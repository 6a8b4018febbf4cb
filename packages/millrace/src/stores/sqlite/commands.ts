import type { Store } from '../port/index.ts'
import { bytesAt, fromBytes, numberAt, textAt, toBytes } from './file/columns.ts'
import type { GroupCommit } from './writing/group-commit.ts'
import type { Reader } from './file/open-reader.ts'

/** Commands between those who use a store. */
export interface Commands extends Pick<Store, 'send' | 'onCommand'> {
  hasListeners(): boolean
  /** Hands on what other processes have sent. */
  deliver(): void
}

type Listener = Parameters<Store['onCommand']>[0]

/** Builds commands that stay within this process. */
export function createLocalCommands(): Commands {
  const listeners = new Set<Listener>()
  return {
    send: async (session, command) => {
      for (const listener of listeners) listener(session, command)
    },
    onCommand: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    hasListeners: () => listeners.size > 0,
    deliver: () => {},
  }
}

/** Who has not looked for so long does not get what was sent meanwhile. */
const maxAgeMs = 60_000

/** Builds commands that go through the file, to all processes that have it open. */
export function createSharedCommands(
  { statements }: Reader,
  { write }: GroupCommit,
  onListener: () => void,
): Commands {
  const local = createLocalCommands()
  let last = 0

  const deliver = (): void => {
    while (local.hasListeners()) {
      const row = statements.nextCommand.get(last)
      if (row === undefined) return
      last = numberAt(row, 0)
      void local.send(textAt(row, 1), fromBytes(bytesAt(row, 2)))
    }
  }

  return {
    ...local,
    deliver,
    send: async (session, command) => {
      await write(({ statements: writing, now }) => {
        writing.dropCommands.run(now() - maxAgeMs)
        writing.addCommand.run(now(), session, toBytes(command))
      })
      deliver()
    },
    onCommand: (listener) => {
      if (!local.hasListeners()) last = numberAt(statements.lastCommand.get() ?? [], 0)
      const stop = local.onCommand(listener)
      onListener()
      return stop
    },
  }
}
