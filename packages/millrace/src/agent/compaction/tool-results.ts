import { type ContentBlock, isResult, type Message } from '../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../json/index.ts'
import { estimateTokens } from './tokens/estimate-tokens.ts'
import { shortenText } from './to-transcript.ts'

/** Returns a smaller result or the same value. `place` is the position among the results of the conversation, from 0. */
type ResultChange = (result: ContentBlock, place: number) => ContentBlock

/**
 * Changes the tool results of the first `end` messages, except those of the last message, which the model has not
 * read yet. Discards a change that does not reduce a result. Unchanged messages keep their identity.
 */
export function changeResults(
  messages: readonly Message[],
  end: number,
  change: ResultChange,
): readonly Message[] {
  let place = 0
  return messages.map((message, index) => {
    if (message.role !== 'user' || !message.content.some(isResult)) return message
    const content = message.content.map((block) => {
      if (!isResult(block)) return block
      const isFixed = index >= end || index === messages.length - 1 || loadsTools(block)
      const changed = isFixed ? block : change(block, place)
      place++
      return estimateTokens([changed]) < estimateTokens([block]) ? changed : block
    })
    const isChanged = content.some((block, at) => block !== message.content[at])
    return isChanged ? { ...message, content } : message
  })
}

/** Returns the number of results in messages. */
export function countResults(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.filter(isResult).length, 0)
}

/** Returns a result with a placeholder as its content. */
export function clearResult(result: ContentBlock, placeholder: string): ContentBlock {
  return { ...result, content: placeholder }
}

/** Truncates the text of a result, removes images and documents, and notes the removal. */
export function shortenResult(result: ContentBlock, maxChars: number): ContentBlock {
  const { content } = result
  if (typeof content === 'string') return { ...result, content: shortenText(content, maxChars) }
  if (!isJsonArray(content)) return result
  const texts = content.map((part) => textOf(part)).filter((text) => text !== '')
  const media = content.filter(isMedia).length
  const others = content.filter((part) => textOf(part) === '' && !isMedia(part))
  const note = media === 0 ? '' : `\n[${media} images or documents were left out to save room.]`
  const text = (shortenText(texts.join('\n'), maxChars) + note).trim()
  return { ...result, content: [...others, ...(text === '' ? [] : [{ type: 'text', text }])] }
}

/** Checks for a tool search result. The provider forgets found tools when the result no longer names them. */
function loadsTools({ content }: ContentBlock): boolean {
  return isJsonArray(content) && content.some((part) => typeOf(part) === 'tool_reference')
}

function isMedia(part: JsonValue): boolean {
  return typeOf(part) === 'image' || typeOf(part) === 'document'
}

function textOf(part: JsonValue): string {
  const text = isJsonObject(part) && part['type'] === 'text' ? part['text'] : ''
  return typeof text === 'string' ? text : ''
}

function typeOf(part: JsonValue): JsonValue | undefined {
  return isJsonObject(part) ? part['type'] : undefined
}
