import { badRequest } from '../errors/index.ts'
import type { ContentBlock, Prompt } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'
import { toWellFormedBlock } from '../tools/index.ts'

/** Block types that only the agent may add to a conversation. */
const reserved = new Set(['tool_use', 'tool_result'])

/** Checks of blocks by type; the provider checks other types. */
const bodies: ReadonlyMap<string, (block: ContentBlock) => boolean> = new Map([
  ['text', ({ text }) => typeof text === 'string'],
  ['image', ({ source }) => isJsonObject(source)],
  ['document', ({ source }) => isJsonObject(source)],
])

/** Returns the blocks of a prompt; throws for blocks that only an agent may write. */
export function toPromptContent(prompt: Prompt): readonly ContentBlock[] {
  const content = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
  const foreign = content.find((block) => reserved.has(block.type))
  if (foreign !== undefined) {
    throw badRequest(
      `A prompt cannot hold a \`${foreign.type}\` block; send results of tools as results.`,
    )
  }
  const broken = content.find((block) => bodies.get(block.type)?.(block) === false)
  if (broken !== undefined) {
    throw badRequest(
      `A \`${broken.type}\` block of the prompt lacks its ${broken.type === 'text' ? '`text`' : '`source`'}; add it, or leave the block out.`,
    )
  }
  if (content.some(({ type, text }) => type !== 'text' || /\S/.test(String(text))))
    return content.map(toWellFormedBlock)
  throw badRequest('The prompt is empty; send some text or a file.')
}
