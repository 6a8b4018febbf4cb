import type { Block, Transcript } from 'millrace'
import type { BlockPlace } from '../../session/frames/index.ts'

/** The number of matches that are counted. */
const MAX_FOUND = 1_000

/** Finds the blocks, and the prompts before them, that contain a text, by agent and ignoring case. */
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
