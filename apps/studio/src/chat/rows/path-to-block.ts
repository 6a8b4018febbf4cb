import { agentOf } from 'millrace'
import type { AgentNode, Transcript } from 'millrace'
import type { BlockPlace } from '../../session/frames/index.ts'

/** The places that lead to one from the root: the calls that spawned the agents around it, and itself. */
export function pathToBlock(transcript: Transcript, { agent, position }: BlockPlace): BlockPlace[] {
  const way: BlockPlace[] = [{ agent, position }]
  let node: AgentNode | undefined = agentOf(transcript, agent)
  while (node && node.parent !== null && node.parentToolUseId !== undefined) {
    const parent = agentOf(transcript, node.parent)
    if (!parent || way.length > 64) break
    const call = parent.blocks.find(`tool_call${node.parentToolUseId}`)
    way.unshift({ agent: parent.id, position: call })
    node = parent
  }
  return way
}
