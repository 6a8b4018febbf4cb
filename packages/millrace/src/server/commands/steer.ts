import type { JsonValue } from '../../json/index.ts'
import type { Prompt } from '../../events/index.ts'
import { headOf } from '../sessions/load-session.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { rootAgentOf } from '../sessions/session-record.ts'
import { passMessage } from './pass-message.ts'
import { storePrompt } from './queue.ts'
import { encodeReceipt, findReceipt, hadNoEffect, type MessageKey } from './receipts.ts'

/** A message to a run, or to one of its agents. */
interface Steer {
  readonly session: string
  readonly prompt: Prompt
  readonly agent: string | undefined
  readonly key: MessageKey | undefined
  /** The context of its sender, for the run that it may start. */
  readonly context: JsonValue | undefined
}

/**
 * Sends a message to a run on any server; false if no run is active. When this resolves with true, the message is
 * stored as a prompt with `when_busy: 'steer'`: it reaches the agent even if the server dies, or starts the next run.
 * The same key again has the same outcome. Requires the session's lock. [CMD-1]
 */
export async function steer(services: RunServices, given: Steer): Promise<boolean> {
  const { store, runs } = services
  const { session, prompt, key } = given
  const info = await store.info(session)
  const known = await findReceipt(store, info, key)
  if (known?.state === 'void')
    throw hadNoEffect(
      `The message ${JSON.stringify(key?.messageId ?? '')} had no effect: its run was stopped, or its agent was no longer active. Send it with another key, or as a new prompt with POST /agent/run.`,
    )
  if (known !== undefined) return true
  const here = runs.get(session)
  const run = here?.log === info?.log ? here : undefined
  const head = headOf(info)
  if (info === undefined || head === undefined) return false
  if (run === undefined ? !isElsewhere(info) : run.isEnding()) return false
  const isRoot = given.agent === session || given.agent === rootAgentOf(session, head)
  const agent = given.agent === undefined || isRoot ? {} : { agent: given.agent }
  const { history, toolInput } = head
  const { context } = given
  const own = { ...agent, ...(context !== undefined && { context }) }
  const request = { session, prompt, whenBusy: 'steer', history, toolInput, ...own } as const
  const message = await storePrompt(services, { ...request, ...(key && { key }) }, info)
  if (run === undefined || (await passMessage(services, run, message))) return true
  // The run ends, or its agent is not active, so the message has no effect.
  const body = encodeReceipt({ state: 'void', ...(key && { digest: key.digest }) })
  return !(await store.settle(session, { key: message.key, body }, info.log))
}
