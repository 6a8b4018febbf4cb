import { agentOf } from 'millrace'
import type { AgentNode, Block, Transcript } from 'millrace'
import type { BlockPlace } from '../../session/frames/block-place.ts'

/** More are not counted: nobody goes through them one by one. */
const MAX_FOUND = 1_000

/** The blocks, and the questions before them, in which a text stands, agent by agent; case does not matter. */
export function findBlocks(transcript: Transcript, text: string): readonly BlockPlace[] {
  const wanted = text.trim().toLowerCase()
  const found: BlockPlace[] = []
  if (wanted === '') return found
  for (const node of transcript.agents) {
    const asked = new Set(
      [...node.runs].flatMap(({ prompt, firstBlock }) => (has(prompt, wanted) ? firstBlock : [])),
    )
    for (let position = 0; position < node.blocks.length; position++) {
      if (found.length >= MAX_FOUND) return found
      const block = node.blocks.at(position)
      if (!block || !(asked.has(position) || holds(block, wanted))) continue
      found.push({ agent: node.id, position })
    }
  }
  return found
}

function holds(block: Block, wanted: string): boolean {
  if (block.type === 'error') return has(JSON.stringify(block.error), wanted)
  const { text, name, result } = block
  return (
    has(text, wanted) || has(name, wanted) || (result !== undefined && has(result.text, wanted))
  )
}

function has(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted)
}

/** The places that lead to one from the root: the calls that spawned the agents around it, and itself. */
export function wayTo(transcript: Transcript, { agent, position }: BlockPlace): BlockPlace[] {
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
