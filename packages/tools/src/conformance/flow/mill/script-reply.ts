import type { ApiError, Fault, ScriptedBlock, ScriptedReply } from '../../../emulator/index.ts'
import type { JsonObject } from 'millrace'
import type { FlowReply } from '../flow-input.ts'

/** Converts a reply of a case to a reply of the emulator. */
export function toScriptedReply(reply: FlowReply): ScriptedReply {
  const { content, stop_reason: stopReason, stop_details: stopDetails, usage } = reply
  const blocks = content.map(toBlock)
  const error = reply.error === undefined ? undefined : toError(reply.error)
  const isLate = error !== undefined && reply.status === undefined
  return {
    blocks: isLate ? [...blocks, { type: 'error', error }] : blocks,
    ...(typeof stopReason === 'string' && { stopReason }),
    ...(stopDetails !== undefined && { stopDetails }),
    ...(usage !== undefined && { usage }),
    faults: toFaults(reply, error),
  }
}

/** Returns the reply up to the end of a text, followed by a stall; undefined if it does not contain the text. */
export function stallAfter(reply: FlowReply, text: string): FlowReply | undefined {
  const index = reply.content.findIndex((block) => String(block['text'] ?? '').includes(text))
  const block = reply.content[index]
  if (block === undefined) return undefined
  const whole = String(block['text'])
  const head = whole.slice(0, whole.indexOf(text) + text.length)
  const open = { ...block, text: head, unfinished: true }
  return { ...reply, content: [...reply.content.slice(0, index), open], stalls: true }
}

/** Returns the text of a reply. */
export function textOf({ content }: FlowReply): string {
  return content.map(({ type, text }) => (type === 'text' ? String(text) : '')).join('')
}

/** Faults that stop a reply, in place of its end. */
function toFaults(reply: FlowReply, error: ApiError | undefined): Fault[] {
  const { status, cut, stalls, waits_ms: waitMs } = reply
  if (status !== undefined) return [{ kind: 'status', status, ...(error && { error }) }]
  const at = { type: 'message_delta' }
  if (cut === true) return [{ kind: 'cut', at }]
  if (waitMs !== undefined) return [{ kind: 'stall', at, waitMs }]
  return stalls === true ? [{ kind: 'stall', at }] : []
}

function toError({ type = 'api_error', message = 'It failed.', ...rest }: JsonObject): ApiError {
  return { type, message, ...rest } as ApiError
}

/** Conversions of blocks with other field names in the emulator; other types stay unchanged. */
const blocks: Readonly<Record<string, (block: JsonObject) => JsonObject>> = {
  text: ({ type, text, citations, unfinished }) => defined({ type, text, citations, unfinished }),
  thinking: ({ type, thinking, unfinished }) => defined({ type, thinking, unfinished }),
  redacted_thinking: ({ type, data }) => defined({ type, data }),
  tool_use: toCall,
  server_tool_use: toCall,
  mcp_tool_use: ({ server_name: serverName = '', ...call }) => ({ ...toCall(call), serverName }),
  compaction: ({ type, content }) => defined({ type, content }),
}

function toCall({ type, id, name, input = {}, unfinished, ...fields }: JsonObject): JsonObject {
  return defined({ type, id, name, input, unfinished, fields })
}

function toBlock(block: JsonObject): ScriptedBlock {
  const type = String(block['type'])
  const known = Object.hasOwn(blocks, type) ? blocks[type]?.(block) : undefined
  if (known !== undefined) return known as unknown as ScriptedBlock
  if (!type.endsWith('_tool_result')) return { type: 'raw', block }
  const { tool_use_id: callId, content, type: _, ...fields } = block
  return defined({ type, toolUseId: callId, content, fields }) as unknown as ScriptedBlock
}

function defined(fields: Readonly<Record<string, unknown>>): JsonObject {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as JsonObject
}
