import { isJsonObject } from '../json/index.ts'
import type { ContentBlock } from './message.ts'

const thoughts: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])
const serverCalls: ReadonlySet<string> = new Set(['server_tool_use', 'mcp_tool_use'])

/** Tells whether a value is a block of a message. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

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
