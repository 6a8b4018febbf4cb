import { isJsonArray, type JsonObject, parseJsonObject } from 'millrace'
import { createId, type Random } from '../random.ts'
import type {
  ScriptedBlock,
  ScriptedCompaction,
  ScriptedError,
  ScriptedMcpToolUse,
  ScriptedRawBlock,
  ScriptedRedactedThinking,
  ScriptedServerToolUse,
  ScriptedText,
  ScriptedThinking,
  ScriptedToolResult,
  ScriptedToolUse,
} from '../replies/scripted-reply.ts'
import { countTokens } from '../request/token-count.ts'
import { redactThinking, signThinking } from '../thinking-signature.ts'
import { type BlockPlan, createPlan } from './block-plan.ts'
import type { ServerToolCalls } from './message-script.ts'

const idPrefixes = {
  tool_use: 'toolu',
  server_tool_use: 'srvtoolu',
  mcp_tool_use: 'mcptoolu',
} as const

/** The values that the plans of a message's blocks share. */
export interface PlanContext {
  readonly random: Random
  readonly serverToolCalls: ServerToolCalls
}

/** Default duration of a server tool. */
const toolWaitMs = 700

/** Plans the pieces of a scripted block. */
export function planBlock(
  block: Exclude<ScriptedBlock, ScriptedError>,
  context: PlanContext,
): BlockPlan {
  switch (block.type) {
    case 'text':
      return planText(block, context)
    case 'thinking':
      return planThinking(block, context)
    case 'redacted_thinking':
      return planRedacted(block, context)
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return planCall(block, context)
    case 'compaction':
      return planCompaction(block)
    case 'raw':
      return planRaw(block)
    default:
      return planResult(block, context)
  }
}

function planText(
  { text, citations = [], unfinished = false }: ScriptedText,
  { random }: PlanContext,
): BlockPlan {
  const cited = citations.length === 0 ? {} : { citations }
  return createPlan({
    start: { ...(citations.length === 0 ? {} : { citations: [] }), type: 'text', text: '' },
    // In all recorded streams, citations precede the text that they support.
    head: citations.map((citation) => ({ type: 'citations_delta', citation })),
    pieces: typeof text === 'string' ? splitText(text, random) : text,
    toDelta: (piece) => ({ type: 'text_delta', text: piece }),
    toWhole: (whole) => ({ ...cited, type: 'text', text: whole }),
    isOpen: unfinished,
  })
}

function planThinking(
  { thinking, unfinished = false }: ScriptedThinking,
  { random }: PlanContext,
): BlockPlan {
  const signature = signThinking(thinking)
  return createPlan({
    start: { type: 'thinking', thinking: '', signature: '' },
    pieces: splitText(thinking, random),
    toDelta: (piece) => ({ type: 'thinking_delta', thinking: piece }),
    tail: unfinished ? [] : [{ type: 'signature_delta', signature }],
    toWhole: (text, isCut) => ({
      type: 'thinking',
      thinking: text,
      signature: isCut ? '' : signature,
    }),
    isOpen: unfinished,
  })
}

function planRedacted({ data }: ScriptedRedactedThinking, { random }: PlanContext): BlockPlan {
  return planWhole({ type: 'redacted_thinking', data: data ?? redactThinking(random) })
}

function planResult(
  { type, content, toolUseId: callId, fields = {}, waitMs = toolWaitMs }: ScriptedToolResult,
  { random, serverToolCalls }: PlanContext,
): BlockPlan {
  const tool_use_id = callId ?? serverToolCalls.close(type) ?? createId('srvtoolu', random)
  return planWhole({ type, tool_use_id, ...fields, content }, waitMs)
}

/** The single delta carries the whole value: it is assigned, not appended. */
function planCompaction({ content }: ScriptedCompaction): BlockPlan {
  return createPlan({
    start: { type: 'compaction', content: null },
    tail: [{ type: 'compaction_delta', content }],
    toWhole: () => ({ type: 'compaction', content }),
  })
}

function planRaw({ block, deltas = [] }: ScriptedRawBlock): BlockPlan {
  return createPlan({ start: block, tail: deltas, toWhole: () => block })
}

function planWhole(block: JsonObject, waitMs = 0): BlockPlan {
  return createPlan({ start: block, toWhole: () => block, waitMs })
}

type AnyCall = ScriptedToolUse | ScriptedServerToolUse | ScriptedMcpToolUse

/** Plans a call; a server tool call then waits for its result. */
function planCall(call: AnyCall, { random, serverToolCalls }: PlanContext): BlockPlan {
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

/** Words with the preceding space; text without spaces is split after twelve characters. */
const wordPattern = /\s*\S{1,12}|\s+/gu
const jsonPieces = /.{1,9}/gsu

/** Splits text into chunks of one to three words, as models do; joined, they are the text. */
export function splitText(text: string, random: Random): string[] {
  return group(text.match(wordPattern) ?? [], () => random.between(1, 3))
}

/** Splits JSON into short chunks after the empty one with which the API begins. */
export function splitJson(json: string, random: Random): string[] {
  return ['', ...group(json.match(jsonPieces) ?? [], () => random.between(1, 2))]
}

function group(parts: readonly string[], size: () => number): string[] {
  const groups: string[] = []
  for (let start = 0; start < parts.length;) {
    const end = start + size()
    groups.push(parts.slice(start, end).join(''))
    start = end
  }
  return groups
}
