import type { AgentCommand, Offer } from '../../agent/port/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { agentMissing, findAgent, type RunServices } from './run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import { openState } from '../sessions/stored-state.ts'

/** Offers a command to the paused run of a session. Nothing is stored. */
export async function offerToPaused(
  { store, agents }: Pick<RunServices, 'store' | 'agents'>,
  info: SessionInfo,
  command: AgentCommand,
): Promise<Offer> {
  const head = headOf(info)
  const agent = findAgent(agents, head)
  if (agent === undefined) throw agentMissing(head?.agentType ?? '')
  const offer = await agent.offer?.(openState(store, info), command)
  return offer ?? { verdict: 'unknown', resumes: false }
}
