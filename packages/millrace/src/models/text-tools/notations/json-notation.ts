import type { ToolNotation } from '../tool-notation.ts'

// In JSON strings quotes are escaped, so that no text in them begins a call.

/** The JSON of the streaming parser design. */
export const seedJsonNotation: ToolNotation = {
  writeCall: (name, input) => JSON.stringify({ tool: { function: name, parameters: input } }),
  writeResult: ({ name, text }) => JSON.stringify({ tool_result: { name, content: text } }),
  rule: 'A call is one JSON object and begins on a line of its own.',
}

/** JSON with a name and parameters, on its own line. */
export const jsonNotation: ToolNotation = {
  writeCall: (name, input) => JSON.stringify({ name, parameters: input }),
  writeResult: ({ name, text }) => JSON.stringify({ name, content: text }),
  rule: 'A message that calls a tool holds the call and nothing else.',
}

/** Llama 3: the same notation, but later calls count only after a semicolon. */
export const llamaNotation: ToolNotation = { ...jsonNotation, separator: '; ' }
