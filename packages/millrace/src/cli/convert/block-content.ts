import type { Envelope } from '../../envelope/index.ts'
import type { BlockKind, ContentBlock } from '../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** A block as a provider would open it. */
export interface OpenedBlock {
  readonly kind: BlockKind
  readonly content: ContentBlock
}

/** Text, or thinking of which a redacted one has lost its data. */
export function toProse({ type, redacted }: Envelope): OpenedBlock {
  if (type === 'text') return { kind: 'text', content: { type: 'text', text: '' } }
  const content =
    redacted === true
      ? { type: 'redacted_thinking', data: '' }
      : { type: 'thinking', thinking: '', signature: '' }
  return { kind: 'thinking', content }
}

/** A call, whose input comes as its text. */
export function toCall({ type, id = '', name, server_name: server }: Envelope): OpenedBlock {
  const call = { id, name: String(name), input: {} }
  if (type === 'tool_call') return { kind: 'tool_call', content: { type: 'tool_use', ...call } }
  const content =
    typeof server === 'string'
      ? { type: 'mcp_tool_use', ...call, server_name: server }
      : { type: 'server_tool_use', ...call }
  return { kind: 'server_tool_call', content }
}

/** A result of a tool under its own type, or a block that is shown as one. [MAP-1] */
export function toResult({ id = '', name, delta, is_error: isError }: Envelope): OpenedBlock {
  const type = String(name)
  const content = parse(delta)
  if (!type.endsWith('_tool_result') && isJsonObject(content)) {
    return { kind: 'other', content: { ...content, type } }
  }
  const result = { type, tool_use_id: id, content }
  const isMcp = type === 'mcp_tool_result'
  return {
    kind: 'server_tool_result',
    content: isMcp ? { ...result, is_error: isError === true } : result,
  }
}

/** A citation under the provider's names. [MAP-3] */
export function toCitation({ citation_type: type, delta, ...fields }: Envelope): JsonObject {
  const { type: _type, agent: _agent, final: _final, id: _id, ...own } = fields
  return { ...(own as JsonObject), type: String(type), cited_text: delta }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
