import type { Prompt } from '../../events/index.ts'
import { fromStore } from '../from-store.ts'
import { encodeReceipt, findReceipt, type MessageKey } from './receipts.ts'
import { passCommand, submitCommand } from './run-command.ts'
import { isElsewhere, type RunContext } from '../run-context.ts'

/** A message to a run, or to one agent of it. */
export interface Steer {
  readonly session: string
  readonly prompt: Prompt
  readonly agent: string | undefined
  readonly key: MessageKey | undefined
}

/**
 * Tells a run something new, wherever it goes on; false if there is none. When this resolves with true the message is stored,
 * so that it reaches the agent though the server dies. The same key again gives the same outcome. Needs the session's lock.
 */
export async function steer(context: RunContext, given: Steer): Promise<boolean> {
  const { store, runs } = context
  const { session, prompt, key } = given
  // The root agent of a branch has another id than its session.
  const agent = given.agent === session ? undefined : given.agent
  const command = { type: 'steer', prompt, ...(agent !== undefined && { agent }) } as const
  const info = await fromStore(store.info(session))
  const known = await findReceipt(store, info, key)
  if (known !== undefined) return known.state !== 'void'
  const run = runs.get(session)
  if (run !== undefined) {
    if (run.isEnding()) return false
    const place = { session, log: run.log, run: run.number, key }
    const { command: submitted, stored } = await submitCommand(context, place, command)
    run.inbox.add(submitted.key, stored, key?.messageId)
    if (run.control.steer(prompt, agent)) return true
    const body = encodeReceipt({ state: 'void', ...(key && { digest: key.digest }) })
    await fromStore(store.settle(session, { key: submitted.key, body }, run.log))
    return false
  }
  if (!isElsewhere(info)) return false
  await passCommand(context, info, command, key)
  return true
}
