import type { Prompt } from '../../events/index.ts'
import { fromStore } from '../from-store.ts'
import { passCommand, submitCommand } from './run-command.ts'
import { isElsewhere, type RunContext } from '../run-context.ts'

/** A message to a run, or to one agent of it. */
export interface Steer {
  readonly session: string
  readonly prompt: Prompt
  readonly agent: string | undefined
}

/**
 * Tells a run something new, wherever it goes on; false if there is none. When this resolves with true the message is stored,
 * so that it reaches the agent though the server dies. Needs the session's lock.
 */
export async function steer(context: RunContext, given: Steer): Promise<boolean> {
  const { store, runs } = context
  const { session, prompt, agent } = given
  const command = { type: 'steer', prompt, ...(agent !== undefined && { agent }) } as const
  const run = runs.get(session)
  if (run !== undefined) {
    if (run.isEnding()) return false
    const key = crypto.randomUUID()
    await submitCommand(context, { session, log: run.log, run: run.number, key }, command)
    run.inbox.add(key, command)
    if (run.control.steer(prompt, agent)) return true
    await fromStore(store.settle(session, { key, body: 'void' }, run.log))
    return false
  }
  const info = await fromStore(store.info(session))
  if (!isElsewhere(info)) return false
  await passCommand(context, info, command)
  return true
}
