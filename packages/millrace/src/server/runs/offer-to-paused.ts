import type { Command, Offer } from '../../agent/port/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { agentMissing } from './launch.ts'
import type { RunServices } from './run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import { openState } from '../sessions/stored-state.ts'

/** Offers a command to the paused run of a session. Nothing is stored. */
export async function offerToPaused(
  { store, agents }: Pick<RunServices, 'store' | 'agents'>,
  info: SessionInfo,
  command: Command,
): Promise<Offer> {
  const type = headOf(info)?.agentType ?? ''
  const agent = Object.hasOwn(agents, type) ? agents[type] : undefined
  if (agent === undefined) throw agentMissing(type)
  const offer = await agent.offer?.(openState(store, info), command)
  return offer ?? { verdict: 'unknown', resumes: false }
}
