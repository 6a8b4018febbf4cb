import { MillraceError } from '../errors/index.ts'
import type { ContentBlock, Prompt } from '../events/index.ts'

/** Blocks that only the agent itself may put into a conversation. */
const reserved = new Set(['tool_use', 'tool_result'])

/** Writes what a person sent as blocks of a message. */
export function toPromptContent(prompt: Prompt): readonly ContentBlock[] {
  const content = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
  const foreign = content.find((block) => reserved.has(block.type))
  if (foreign !== undefined) {
    throw new MillraceError(
      'bad_request',
      `A prompt cannot hold a \`${foreign.type}\` block; send results of tools as results.`,
    )
  }
  if (content.some(({ type, text }) => type !== 'text' || /\S/.test(String(text)))) return content
  throw new MillraceError('bad_request', 'The prompt is empty; send some text or a file.')
}
