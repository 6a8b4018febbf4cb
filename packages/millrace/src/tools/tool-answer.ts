import type { ContentBlock, ResultContent, ResultImage } from '../events/index.ts'
import { toWellFormedContent } from './well-formed.ts'

/** A tool result: text and images for users, content for the model. */
export interface ToolAnswer {
  readonly text: string
  readonly images: readonly ResultImage[]
  readonly isError: boolean
  readonly content: ResultContent
}

/** Creates an answer of plain text. */
export function textAnswer(text: string): ToolAnswer {
  return { text, images: [], isError: false, content: text }
}

/** Creates an error answer. */
export function errorAnswer(text: string): ToolAnswer {
  return { ...textAnswer(text), isError: true }
}

/** Converts an answer to a `tool_result` block. */
export function toResultBlock(callId: string, answer: ToolAnswer): ContentBlock {
  const { content, isError } = answer
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: toWellFormedContent(content),
    ...(isError && { is_error: true }),
  }
}
