import type { ToolNotation } from '../tool-notation.ts'
import { toEscapedJson } from './escape-marks.ts'

const MARKS = /\[(?=\/?(?:TOOL_|ARGS\]|CALL_ID\]|THINK\]))/g
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_.:-]*$/u

/** Mistral's tokens, written as text. */
export const mistralNotation: ToolNotation = {
  writeCall: (name, input) =>
    PLAIN_NAME.test(name)
      ? `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(input)}`
      : `[TOOL_CALLS]${JSON.stringify([{ name, arguments: input }])}`,
  writeResult: ({ text }) =>
    `[TOOL_RESULTS]${toEscapedJson({ content: text }, MARKS)}[/TOOL_RESULTS]`,
}
