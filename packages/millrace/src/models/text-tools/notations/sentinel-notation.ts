import type { ToolNotation } from '../tool-notation.ts'
import { toEscapedJson } from './escape-marks.ts'

// Two adjacent brackets would be a marker, or the end of a header.
const MARKS = /\[(?=\[)|\](?=\])/g

/** The markers of the streaming parser design, around the arguments as JSON. */
export const sentinelNotation: ToolNotation = {
  writeCall(name, input) {
    const header = toEscapedJson({ type: 'tool_call', tool_name: name }, MARKS)
    return `[[SEG_START ${header}]]\n${toEscapedJson(input, /\[(?=\[seg_)/gi)}\n[[SEG_END]]`
  },
  writeResult: ({ name, text }) =>
    `[[SEG_RESULT ${toEscapedJson({ tool_name: name, content: text }, MARKS)}]]`,
  rule: 'Between the two markers stands one JSON object with the arguments.',
}
