import type { AgentNode, Transcript } from './transcript.ts'

/** Returns the root agent. */
export function rootAgent(transcript: Transcript): AgentNode | undefined {
  return transcript.agents.at(0)
}

/** Returns the agent with an id. */
export function agentOf({ agents }: Transcript, id: string): AgentNode | undefined {
  return agents.at(agents.find(id))
}

/** Returns the sub-agents of an agent, or of one of its calls, in order of appearance. */
export function childrenOf(
  { agents }: Transcript,
  parent: string,
  callId?: string,
): readonly AgentNode[] {
  return [...agents].filter(
    (agent) =>
      agent.parent === parent && (callId === undefined || agent.parentToolUseId === callId),
  )
}
