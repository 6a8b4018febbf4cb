import { isMillraceError } from '../../errors/index.ts'
import type { Store } from '../../store/index.ts'
import { fromStore } from '../from-store.ts'

/**
 * Makes a session if there is none. Whoever opens one becomes its writer, so one that is there is left as it is,
 * whoever has made it.
 */
export async function provide(store: Store, session: string): Promise<void> {
  try {
    await fromStore(store.open(session, undefined, 0))
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
  }
}
