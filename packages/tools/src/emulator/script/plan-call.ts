import { isJsonArray, type JsonObject, parseJsonObject } from 'millrace'
import { createId } from '../random.ts'
import type {
  ScriptedMcpToolUse,
  ScriptedServerToolUse,
  ScriptedToolUse,
} from '../replies/scripted-reply.ts'
import { splitJson } from '../split-text.ts'
import { countTokens } from '../request/token-count.ts'
import { type BlockPlan, createPlan } from './block-plan.ts'
import type { PlanContext } from './plan-block.ts'

type AnyCall = ScriptedToolUse | ScriptedServerToolUse | ScriptedMcpToolUse

const idPrefixes = {
  tool_use: 'toolu',
  server_tool_use: 'srvtoolu',
  mcp_tool_use: 'mcptoolu',
} as const

/** Plans a call; a server tool call then waits for its result. */
export function planCall(call: AnyCall, { random, serverToolCalls }: PlanContext): BlockPlan {
  const { type, name, id = createId(idPrefixes[type], random), isWhole = false } = call
  const pieces = toPieces(call.input, (json) => splitJson(json, random))
  // A message holds an object, even if the model's text is no JSON object.
  const input = parseJsonObject(pieces.join('')) ?? {}
  const before = { type, id, name }
  const after = { ...placeOf(call), ...call.fields }
  if (type !== 'tool_use') serverToolCalls.open(before)
  return createPlan({
    start: { ...before, input: isWhole ? input : {}, ...after },
    pieces: isWhole ? [] : pieces,
    toDelta: (piece) => ({ type: 'input_json_delta', partial_json: piece }),
    toWhole: (_, isCut) => ({ ...before, input: isCut ? {} : input, ...after }),
    ownTokens: countTokens(name),
    isOpen: call.unfinished ?? false,
  })
}

function placeOf(call: AnyCall): JsonObject {
  if (call.type === 'mcp_tool_use') return { server_name: call.serverName }
  return { caller: { type: 'direct' } }
}

function toPieces(
  input: AnyCall['input'],
  split: (json: string) => readonly string[],
): readonly string[] {
  if (typeof input === 'string') return split(input)
  return isPieces(input) ? input : split(JSON.stringify(input))
}

function isPieces(input: JsonObject | readonly string[]): input is readonly string[] {
  return isJsonArray(input)
}
