import type { ContentBlock } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'

const thoughts: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])
const serverCalls: ReadonlySet<string> = new Set(['server_tool_use', 'mcp_tool_use'])

/** Tells whether a block is a thought of the model, readable or not. */
export function isThought({ type }: ContentBlock): boolean {
  return thoughts.has(type)
}

/** Tells whether a block calls a tool of ours. */
export function isCall({ type }: ContentBlock): boolean {
  return type === 'tool_use'
}

/** Tells whether a block is the result of a tool of ours. */
export function isResult({ type }: ContentBlock): boolean {
  return type === 'tool_result'
}

/** Tells whether a block calls a tool that the provider runs itself. */
export function isServerCall({ type }: ContentBlock): boolean {
  return serverCalls.has(type)
}

/** Tells whether a block is the result of such a call; every such tool has its own type. */
export function isServerResult({ type, tool_use_id: id }: ContentBlock): boolean {
  return typeof id === 'string' && type.endsWith('_tool_result')
}

/** Tells whether a block is text without a visible character, which model APIs refuse. */
export function isBlank({ type, text }: ContentBlock): boolean {
  return type === 'text' && !(typeof text === 'string' && /\S/.test(text))
}

/** The id by which a call is answered. */
export function idOf({ id }: ContentBlock): string {
  return String(id)
}

/** The id of the call that a result answers. */
export function answeredBy({ tool_use_id: id }: ContentBlock): string {
  return String(id)
}

/** The id of the call from whose code a call was made. */
export function callerOf({ caller }: ContentBlock): string | undefined {
  const id = isJsonObject(caller) ? caller['tool_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
