import { isJsonObject } from '../json/index.ts'
import type { ContentBlock } from './message.ts'

const thoughts: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])
const serverCalls: ReadonlySet<string> = new Set(['server_tool_use', 'mcp_tool_use'])

/** Checks for a block of a message. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

/** Checks for thinking, readable or redacted. */
export function isThought({ type }: ContentBlock): boolean {
  return thoughts.has(type)
}

/** Checks for a call of a local tool. */
export function isCall({ type }: ContentBlock): boolean {
  return type === 'tool_use'
}

/** Checks for a result of a local tool. */
export function isResult({ type }: ContentBlock): boolean {
  return type === 'tool_result'
}

/** Checks for a call of a tool that the provider runs. */
export function isServerCall({ type }: ContentBlock): boolean {
  return serverCalls.has(type)
}

/** Checks for a result of a tool that the provider runs. Every such tool has its own type. */
export function isServerResult({ type, tool_use_id: id }: ContentBlock): boolean {
  return typeof id === 'string' && type.endsWith('_tool_result')
}

/** Checks for text without a visible character, which model APIs reject. */
export function isBlank({ type, text }: ContentBlock): boolean {
  return type === 'text' && !(typeof text === 'string' && /\S/.test(text))
}
