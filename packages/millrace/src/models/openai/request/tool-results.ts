import { type ContentBlock, isContentBlock } from '../../../events/index.ts'
import { isJsonArray } from '../../../json/index.ts'
import { type ContentPart, textPart, toContentParts } from './content-parts.ts'

/** The result of a call, split for a message with the role `tool`. */
export interface ToolResultParts {
  readonly id: string
  readonly text: string
  /** Images and files, which such a message cannot hold. */
  readonly others: readonly ContentPart[]
}

/** Converts a `tool_result` block. */
export function toToolResult(block: ContentBlock): ToolResultParts {
  const { tool_use_id: id, content, is_error: isError } = block
  const blocks = isJsonArray(content) ? content.filter(isContentBlock) : []
  const parts = blocks.flatMap((inner) => toContentParts(inner) ?? [unknownPart(inner)])
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  const others = parts.filter(({ text }) => typeof text !== 'string')
  const output = typeof content === 'string' ? content : texts.join('\n')
  const text = output === '' ? emptyText(others.length) : output
  // The API has no error field, so a text prefix marks errors.
  return { id: String(id), text: isError === true ? `Error: ${text}` : text, others }
}

/** Creates user message parts for the images and files of results. */
export function toAttachments(results: readonly ToolResultParts[]): readonly ContentPart[] {
  return results.flatMap(({ id, others }) =>
    others.length === 0 ? [] : [textPart(`From the result of tool call ${id}:`), ...others],
  )
}

function emptyText(others: number): string {
  return others === 0 ? '(no output)' : '(see the attachments that follow)'
}

function unknownPart(block: ContentBlock): ContentPart {
  return textPart(JSON.stringify(block))
}
