import type { JsonObject } from 'millrace'
import type { ScriptedBlock, ScriptedReply, ScriptedText } from './scripted-reply.ts'

/** Block types that do not count as sent: calls that were not run are repeated, and thinking precedes the rest. */
const uncounted: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
])

/**
 * Returns the rest of a reply that was cut after some blocks; undefined if nothing is left, or if the blocks
 * belong to another reply. A cut paragraph is repeated from its beginning; exact chunks continue at the cut.
 */
export function restOfReply(
  reply: ScriptedReply,
  sent: readonly JsonObject[],
): ScriptedReply | undefined {
  let text = sent.map((block) => (block['type'] === 'text' ? String(block['text']) : '')).join('')
  let counted = sent.filter(({ type }) => !uncounted.has(type)).length
  const rest: ScriptedBlock[] = []
  let isCut = false
  const addRest = (block: ScriptedBlock): void => {
    isCut = true
    rest.push(block)
  }
  for (const block of reply.blocks) {
    if (isCut || block.type === 'tool_use') rest.push(block)
    else if (block.type === 'error') return undefined
    else if (block.type === 'text') {
      const expected = [block.text].flat().join('')
      if (!text.startsWith(expected) && !expected.startsWith(text)) return undefined
      if (!text.startsWith(expected)) addRest(text === '' ? block : cutText(block, text.length))
      text = text.slice(expected.length)
    } else if (uncounted.has(block.type)) {
      if (text === '' && counted === 0) addRest(block)
    } else if (counted > 0) counted -= 1
    else addRest(block)
  }
  return rest.length === 0 || text !== '' ? undefined : { ...reply, blocks: rest }
}

function cutText(block: ScriptedText, length: number): ScriptedText {
  const { text } = block
  if (typeof text === 'string')
    return { ...block, text: text.slice(startOfParagraph(text, length)) }
  let left = length
  const pieces = text.flatMap((piece) => {
    const kept = piece.slice(left)
    left = Math.max(0, left - piece.length)
    return kept === '' ? [] : [kept]
  })
  return { ...block, text: pieces }
}

function startOfParagraph(text: string, length: number): number {
  const gap = text.slice(0, length).lastIndexOf('\n\n')
  return gap < 0 ? 0 : gap + 2
}
