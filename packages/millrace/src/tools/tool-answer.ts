import type { ContentBlock, ResultContent, ResultImage } from '../events/index.ts'
import { toWellFormedContent } from './well-formed.ts'

/** What a tool answered: as people see it, and as the model reads it. */
export interface ToolAnswer {
  readonly text: string
  readonly images: readonly ResultImage[]
  readonly isError: boolean
  readonly content: ResultContent
}

/** An answer that is text and nothing else. */
export function textAnswer(text: string): ToolAnswer {
  return { text, images: [], isError: false, content: text }
}

/** An answer that tells the model what went wrong. */
export function errorAnswer(text: string): ToolAnswer {
  return { ...textAnswer(text), isError: true }
}

/** Writes an answer as the block that goes back to the model. */
export function toResultBlock(toolUseId: string, answer: ToolAnswer): ContentBlock {
  const { content, isError } = answer
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: toWellFormedContent(content),
    ...(isError && { is_error: true }),
  }
}
