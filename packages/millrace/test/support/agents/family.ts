import type { AgentOptions, CreatedAgent } from '../../../src/agent/create-agent.ts'
import type { AgentEvent, ContentBlock } from '../../../src/events/index.ts'
import { call, setUpAgent } from './agent-harness.ts'
import type { ScriptedReply } from './scripted-model.ts'

/** A call that gives a task to the agent `child`. */
export function spawn(id: string, input: object = {}): ContentBlock {
  return call(id, 'spawn_subagent', { agent_name: 'child', task: 'dig', ...input })
}

/** A sub-agent on a scripted model; its ids begin with its name. */
export function setUpChild(
  replies: readonly ScriptedReply[],
  { name = 'child', ...options }: Partial<AgentOptions> = {},
) {
  let ids = 0
  return setUpAgent(replies, {
    name,
    description: `a ${name}`,
    createId: () => `${name}${++ids}`,
    ...options,
  })
}

/** An agent with sub-agents, on a scripted model; the ids of its sub-agents are `id1.1`, `id1.2` and so on. */
export function setUpParent(
  replies: readonly ScriptedReply[],
  subagents: readonly CreatedAgent[],
  options: Partial<AgentOptions> = {},
) {
  return setUpAgent(replies, { subagents, ...options })
}

/** The agents of a run in the order of their starts, each with its output. */
export function eventsByAgent(events: readonly AgentEvent[]): Map<string, string[]> {
  const byAgent = new Map<string, string[]>()
  for (const { agent, type } of events) byAgent.set(agent, [...(byAgent.get(agent) ?? []), type])
  return byAgent
}
