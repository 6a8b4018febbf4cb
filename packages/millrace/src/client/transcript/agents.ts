import type { AgentNode, Transcript } from './transcript.ts'

/** The first agent: the one that was asked. */
export function rootAgent(transcript: Transcript): AgentNode | undefined {
  return transcript.agents.at(0)
}

/** The agent with an id. */
export function agentOf({ agents }: Transcript, id: string): AgentNode | undefined {
  return agents.at(agents.find(id))
}

/** The sub-agents of an agent, or those that one of its calls spawned, in order of appearance. */
export function childrenOf(
  { agents }: Transcript,
  parent: string,
  toolUseId?: string,
): readonly AgentNode[] {
  return [...agents].filter(
    (agent) =>
      agent.parent === parent && (toolUseId === undefined || agent.parentToolUseId === toolUseId),
  )
}
