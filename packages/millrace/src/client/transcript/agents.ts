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

/**
 * Returns the final answer so far: the text of the root agent after the last call, result or user message of its latest run. Text that
 * was rolled back, and summaries that the model wrote for itself, do not count. [LIFE-15]
 */
export function finalText(transcript: Transcript): string {
  const { blocks, reducer } = rootAgent(transcript) ?? {}
  let text = ''
  for (let position = reducer?.answerFrom ?? 0; position < (blocks?.length ?? 0); position++) {
    const block = blocks?.at(position)
    if (block?.type === 'text' && !block.compaction) text += block.text
  }
  return text
}
