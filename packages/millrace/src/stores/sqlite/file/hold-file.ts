import { MillraceError } from '../../../errors/index.ts'
import { openConnection } from './connection.ts'
import { provideFile } from './provide-file.ts'
import { isBusy, toStoreError } from './store-errors.ts'

/**
 * Locks a store against other servers and returns a function that releases it. The lock is an operating system lock on a file beside the
 * store, so it also ends with the process.
 */
export function holdFile(path: string): () => void {
  const lock = `${path}-server`
  provideFile(lock)
  const connection = openConnection(lock, 0)
  try {
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    throw isBusy(error) ? alreadyServed(path) : toStoreError(error)
  }
  return () => {
    connection.exec('ROLLBACK')
    connection.close()
  }
}

function alreadyServed(path: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Another server uses ${path}. Stop it first, choose another path, or start both with sqlite:PATH?shared=1, so that each reads the other's writes.`,
  )
}
