import { fromStore } from '../map-store-errors.ts'
import type { RunContext } from '../runs/run-services.ts'
import type { Run } from '../runs/run.ts'
import { decodeDelivery } from '../webhooks/stored-delivery.ts'
import { giveMessage, isMessage, isStopped } from './give-message.ts'
import { decodeCommand } from './run-command.ts'

/**
 * Gives a run the messages to its root agent that wait, before it goes on: it may end sooner than they would be found. What
 * else is pending is given when the run is under way.
 */
export async function giveWaiting(context: RunContext, run: Run): Promise<void> {
  const { session, log, number } = run
  try {
    for (const waiting of await fromStore(context.store.pending(session, log))) {
      if (decodeDelivery(waiting) !== undefined) continue
      const { key } = waiting
      const stored = decodeCommand(waiting)
      if (!isMessage(stored) || stored.command.agent !== undefined) continue
      if (stored.run !== number && (await isStopped(context, session, stored))) continue
      await giveMessage(context, run, { key, stored })
    }
  } catch (error) {
    context.onError(error, { session })
  }
}
