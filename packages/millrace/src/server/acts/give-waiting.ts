import { fromStore } from '../from-store.ts'
import type { RunContext } from '../run-context.ts'
import type { Run } from '../run.ts'
import { decodeDelivery } from '../webhooks/stored-delivery.ts'
import { decodeCommand } from './run-command.ts'

/**
 * Gives a run that is carried on the messages that wait for it, before it goes on: it may end sooner than they would be found. What
 * else is pending is given when the run is under way.
 */
export async function giveWaiting(context: RunContext, run: Run): Promise<void> {
  const { session, log, number, inbox, control } = run
  try {
    for (const waiting of await fromStore(context.store.pending(session, log))) {
      if (decodeDelivery(waiting) !== undefined || inbox.has(waiting.key)) continue
      const stored = decodeCommand(waiting)
      const { run: meant, command } = stored
      if (meant !== number || command.type !== 'steer' || command.agent !== undefined) continue
      inbox.add(waiting.key, stored)
      control.steer(command.prompt)
    }
  } catch (error) {
    context.onError(error, { session })
  }
}
