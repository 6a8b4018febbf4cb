import { isMillraceError } from '../../errors/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

/**
 * Makes a session of an owner if there is none. Whoever opens one becomes its writer, so one that is there is left as it is,
 * whoever has made it.
 */
export async function provide(store: Store, session: string, owner: string | null): Promise<void> {
  try {
    await mapStoreErrors(store.open(session, undefined, 0, owner))
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
  }
}
