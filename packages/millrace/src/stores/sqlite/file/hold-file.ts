import { MillraceError } from '../../../errors/index.ts'
import { openConnection } from './connection.ts'
import { provideFile } from './provide-file.ts'
import { isBusy, toStoreError } from './store-errors.ts'

/**
 * Keeps other servers off a store until it is let go, or until the process ends, however that comes about: the lock is
 * the system's, on a file beside the store. Gives what lets go.
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
    `Another server uses ${path}. Stop it first, choose another path, or start both with sqlite:PATH?shared=1, so that each sees what the other writes.`,
  )
}
