import { isMillraceError, MillraceError } from '../errors/index.ts'

/**
 * Waits for the store. What it fails with itself is told as such: a session that cannot be loaded is not one that
 * is new, and beginning it anew would overwrite what is stored.
 */
export async function mapStoreErrors<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    if (isMillraceError(cause)) throw cause
    throw new MillraceError(
      'store_unavailable',
      'The store of the sessions failed; the server’s log has the cause. Try again in a moment.',
      { cause },
    )
  }
}
