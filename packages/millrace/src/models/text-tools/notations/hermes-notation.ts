import type { ToolNotation } from '../tool-notation.ts'
import { toEscapedJson } from './escape-marks.ts'

const TAGS = /<(?=\/?(?:tool_call|tool_response|function|parameter|invoke|think)\b)/gi

/** JSON between tags, the notation of Hermes, Qwen and most other models. */
export const hermesNotation: ToolNotation = {
  writeCall: (name, input) =>
    `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  writeResult: ({ name, text }) =>
    `<tool_response>\n${toEscapedJson({ name, content: text }, TAGS)}\n</tool_response>`,
}
