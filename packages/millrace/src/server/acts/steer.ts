import type { Prompt } from '../../events/index.ts'
import { fromStore } from '../from-store.ts'
import { encodeCommand } from './run-command.ts'
import { isElsewhere, type RunContext } from '../run-context.ts'

/** Tells a run something new, wherever it goes on; false if there is none. Needs the session's lock. */
export async function steer(
  { store, runs }: RunContext,
  session: string,
  prompt: Prompt,
  agent: string | undefined,
): Promise<boolean> {
  const run = runs.get(session)
  if (run !== undefined) return run.control.steer(prompt, agent)
  if (!isElsewhere(await fromStore(store.info(session)))) return false
  const whom = agent === undefined ? {} : { agent }
  await fromStore(store.send(session, encodeCommand({ type: 'steer', prompt, ...whom })))
  return true
}
