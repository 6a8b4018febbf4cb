import { rootAgent } from './agents.ts'
import type { Transcript } from './transcript.ts'

/** The answer: what the root agent wrote in its latest run after its last call. */
export function finalText(transcript: Transcript): string {
  const root = rootAgent(transcript)
  const first = root?.runs.at(-1)?.firstBlock ?? 0
  let text = ''
  for (let position = (root?.blocks.length ?? 0) - 1; position >= first; position--) {
    const block = root?.blocks.at(position)
    if (block === undefined || block.type.endsWith('call') || block.type.endsWith('result')) break
    if (block.type === 'text' && !block.compaction) text = block.text + text
  }
  return text
}
