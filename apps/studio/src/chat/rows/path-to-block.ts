import { agentOf } from 'millrace'
import type { AgentNode, Transcript } from 'millrace'
import type { BlockPlace } from '../../session/frames/index.ts'

/** Returns the path from the root to a block: the calls that spawned the agents around it, and the block. */
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
