import type { JsonObject } from '../json/index.ts'
import type { ParameterTypes } from '../segments/index.ts'

/** The result of a call, to be told in text. */
export interface WrittenResult {
  readonly name: string
  readonly text: string
}

/** How calls and their results stand in text. */
export interface ToolNotation {
  /** Writes a call; `types` says what the tool's parameters are, as the reader of the text will know it. */
  writeCall(name: string, input: JsonObject, types?: ParameterTypes): string
  /** Writes a result in such a way that nothing in its text is a call, or the end of the result. */
  writeResult(result: WrittenResult): string
  /** What a model must be told besides the form of a call. */
  readonly rule?: string
  /** What stands between two calls, a line break if not given. */
  readonly separator?: string
}
