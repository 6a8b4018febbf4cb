import { createListeners } from '../../streams/index.ts'
import type { Store } from '../port/index.ts'
import { bytesAt, fromBytes, numberAt, textAt, toBytes } from './file/columns.ts'
import type { GroupCommit } from './writing/group-commit.ts'
import type { Reader } from './file/open-reader.ts'

/** Delivery of commands between users of a store. */
export interface Commands extends Pick<Store, 'send' | 'onCommand'> {
  hasListeners(): boolean
  /** Delivers commands that other processes have sent. */
  deliver(): void
}

/** Creates delivery within this process. */
export function createLocalCommands(): Commands {
  const listeners = createListeners<[session: string, command: string]>()
  return {
    send: async (session, command) => listeners.notify(session, command),
    onCommand: listeners.subscribe,
    hasListeners: () => listeners.size() > 0,
    deliver: () => {},
  }
}

/** Lifetime of a sent command. A process that does not read for longer misses it. */
const maxAgeMs = 60_000

/** Creates delivery through the file, to all processes that have it open. */
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
