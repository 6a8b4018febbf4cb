import type { ToolNotation } from '../tool-notation.ts'
import { hermesNotation } from './hermes-notation.ts'
import { invokeNotation } from './invoke-notation.ts'
import { jsonNotation, llamaNotation, seedJsonNotation } from './json-notation.ts'
import { mistralNotation } from './mistral-notation.ts'
import { sentinelNotation } from './sentinel-notation.ts'
import { xmlNotation } from './xml-notation.ts'

/** Notations by the names of the formats that read them. */
export const notations: ReadonlyMap<string, ToolNotation> = new Map([
  ['tool_call', hermesNotation],
  ['anthropic', invokeNotation('function_calls')],
  ['minimax-m2', invokeNotation('minimax:tool_call')],
  ['mistral', mistralNotation],
  ['llama3', llamaNotation],
  ['json', jsonNotation],
  ['seed-json', seedJsonNotation],
  ['seed-xml', xmlNotation],
  ['seed-sentinel', sentinelNotation],
])
