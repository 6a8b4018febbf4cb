import { isMillraceError, MillraceError } from '../errors/index.ts'

/**
 * Reports failures of the store as `store_unavailable`. Without this, a session that cannot be loaded could be taken for a new
 * one and overwritten.
 */
export async function mapStoreErrors<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (cause) {
    if (isMillraceError(cause)) throw cause
    throw new MillraceError(
      'store_unavailable',
      'The store failed; see the log of the server for the cause, and try again in a moment.',
      { cause },
    )
  }
}
