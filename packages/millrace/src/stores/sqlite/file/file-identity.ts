import { type Stats, statSync } from 'node:fs'
import { MillraceError } from '../../../errors/index.ts'

/** Checks that the files at the path of a store still are those that it has open. */
export interface FileIdentity {
  /** Throws `store_unavailable` if what is written now would not be found by whoever opens the path next. */
  check(): void
}

/**
 * Remembers the file of a store that has just been opened, and later the log of SQLite beside it. SQLite itself goes on
 * writing to files that were deleted, moved or replaced. A check takes some microseconds.
 */
export function rememberFile(path: string): FileIdentity {
  const file = statSync(path)
  const walPath = `${path}-wal`
  let wal: Stats | undefined
  return {
    check: () => {
      const present = statSync(path, { throwIfNoEntry: false })
      compare('The file of the store', file, present)
      if (present?.size === 0 && file.size > 0) throw unusable('The file of the store was emptied')
      const found = statSync(walPath, { throwIfNoEntry: false })
      // SQLite makes it with the first write, and removes it when the last connection is closed: not while ours are open.
      wal ??= found
      if (wal !== undefined) compare('The -wal file of the store', wal, found)
    },
  }
}

function compare(name: string, known: Stats, found: Stats | undefined): void {
  if (found === undefined) throw unusable(`${name} was deleted or moved`)
  if (found.ino !== known.ino || found.dev !== known.dev)
    throw unusable(`${name} was replaced by another one`)
}

function unusable(what: string): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `${what} while the server runs; nothing is written, because it would be lost. Move the same file back, with its -wal and -shm files, and it is used again. To use what is at the path now, restart the server.`,
  )
}
