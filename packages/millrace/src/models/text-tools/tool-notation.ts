import type { JsonObject } from '../../json/index.ts'
import type { ParameterTypes } from '../../segments/index.ts'

/** The result of a call, to be written as text. */
export interface WrittenResult {
  readonly name: string
  readonly text: string
}

/** The notation of calls and their results in text. */
export interface ToolNotation {
  /** Writes a call; `types` are the types of the tool's parameters, as the reader of the text uses them. */
  writeCall(name: string, input: JsonObject, types?: ParameterTypes): string
  /** Writes a result so that nothing in its text is a call, or the end of the result. */
  writeResult(result: WrittenResult): string
  /** A rule for the prompt besides the form of a call. */
  readonly rule?: string
  /** The text between two calls; default: a line break. */
  readonly separator?: string
}
