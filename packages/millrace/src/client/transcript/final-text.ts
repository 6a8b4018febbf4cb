import { rootAgent } from './agents.ts'
import type { Transcript } from './transcript.ts'

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
