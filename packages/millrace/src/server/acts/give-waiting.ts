import { fromStore } from '../from-store.ts'
import type { RunContext } from '../run-context.ts'
import type { Run } from '../run.ts'
import { decodeCommand } from './run-command.ts'

/**
 * Gives a run that is carried on the messages that wait for it, before it goes on: it may end sooner than they would be found. What
 * else is pending is given when the run is under way.
 */
export async function giveWaiting(context: RunContext, run: Run): Promise<void> {
  const { session, log, number, inbox, control } = run
  try {
    for (const stored of await fromStore(context.store.pending(session, log))) {
      const { run: meant, command } = decodeCommand(stored)
      if (meant !== number || command.type !== 'steer' || command.agent !== undefined) continue
      if (inbox.has(stored.key)) continue
      inbox.add(stored.key, command)
      control.steer(command.prompt)
    }
  } catch (error) {
    context.onError(error, { session })
  }
}
