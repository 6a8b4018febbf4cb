import type { JsonObject } from '../json/index.ts'

/** The result of a call, to be told in text. */
export interface WrittenResult {
  readonly name: string
  readonly text: string
}

/** How calls and their results stand in text. */
export interface ToolNotation {
  writeCall(name: string, input: JsonObject): string
  writeResult(result: WrittenResult): string
  /** What a model must be told besides the form of a call. */
  readonly rule?: string
}

/** JSON between tags: what Hermes, Qwen and most others were taught. */
export const hermesNotation: ToolNotation = {
  writeCall: (name, input) =>
    `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  writeResult: ({ name, text }) =>
    `<tool_response>\n${JSON.stringify({ name, content: text })}\n</tool_response>`,
}

/** A tag for each argument. */
function invokeNotation(wrapper: string): ToolNotation {
  return {
    writeCall(name, input) {
      const parameters = Object.entries(input).map(
        ([key, value]) =>
          `<parameter name="${key}">${typeof value === 'string' ? value : JSON.stringify(value)}</parameter>\n`,
      )
      return `<${wrapper}>\n<invoke name="${name}">\n${parameters.join('')}</invoke>\n</${wrapper}>`
    },
    writeResult: ({ name, text }) => `<result name="${name}">\n${text}\n</result>`,
  }
}

const mistralNotation: ToolNotation = {
  writeCall: (name, input) => `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(input)}`,
  writeResult: ({ text }) => `[TOOL_RESULTS]${JSON.stringify({ content: text })}[/TOOL_RESULTS]`,
}

const jsonNotation: ToolNotation = {
  writeCall: (name, input) => JSON.stringify({ name, parameters: input }),
  writeResult: ({ name, text }) => JSON.stringify({ name, content: text }),
  rule: 'A message that calls a tool holds the call and nothing else.',
}

/** Notations by the names of the formats that read them. */
export const notations: ReadonlyMap<string, ToolNotation> = new Map([
  ['tool_call', hermesNotation],
  ['anthropic', invokeNotation('function_calls')],
  ['minimax-m2', invokeNotation('minimax:tool_call')],
  ['mistral', mistralNotation],
  ['llama3', jsonNotation],
  ['json', jsonNotation],
])
