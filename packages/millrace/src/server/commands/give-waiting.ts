import { mapStoreErrors } from '../map-store-errors.ts'
import type { RunServices } from '../runs/run-services.ts'
import type { Run } from '../runs/run.ts'
import { decodeDelivery } from '../webhooks/stored-delivery.ts'
import { giveMessage, isMessage, isStopped } from './give-message.ts'
import { decodeCommand } from './run-command.ts'

/**
 * Passes pending messages for the root agent to a run before it continues, because it may end before they are found.
 * Other pending commands follow once the run is active.
 */
export async function giveWaiting(services: RunServices, run: Run): Promise<void> {
  const { session, log, number } = run
  try {
    for (const waiting of await mapStoreErrors(services.store.pending(session, log))) {
      if (decodeDelivery(waiting) !== undefined) continue
      const { key } = waiting
      const stored = decodeCommand(waiting)
      if (!isMessage(stored) || stored.command.agent !== undefined) continue
      if (stored.run !== number && (await isStopped(services, session, stored))) continue
      await giveMessage(services, run, { key, stored })
    }
  } catch (error) {
    services.onError(error, { session })
  }
}
