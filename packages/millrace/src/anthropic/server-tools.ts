import type { ContentBlock, Message } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'
import { blockTraitsOf } from './block-traits.ts'
import { textOf } from './text-of.ts'

/** A call that the provider runs itself, with what has become of it. */
export interface ServerToolUse {
  readonly call: ContentBlock
  /** The result; undefined while the call is pending, as it may be when the provider pauses. */
  readonly result: ContentBlock | undefined
  /** Why the tool failed, by the provider's code; a failed tool is no failed message. */
  readonly problem?: string
}

/** Finds the calls that the provider ran, and their results, which may stand in a later message. */
export function findServerToolUses(messages: readonly Message[]): ServerToolUse[] {
  const blocks = messages.flatMap(({ content }) => content)
  const results = new Map(
    blocks.filter(isServerToolResult).map((block) => [block['tool_use_id'], block]),
  )
  return blocks.filter(isServerToolCall).map((call) => {
    const result = results.get(call['id'])
    const problem = result === undefined ? undefined : problemOf(result)
    return { call, result, ...(problem !== undefined && { problem }) }
  })
}

/** Tells whether a block is a call that the provider runs itself. */
export function isServerToolCall({ type }: ContentBlock): boolean {
  return blockTraitsOf(type).kind === 'server_tool_call'
}

/** Tells whether a block is what such a call has given. */
export function isServerToolResult({ type }: ContentBlock): boolean {
  return blockTraitsOf(type).kind === 'server_tool_result'
}

/** The code of a tool's own error; MCP only says that there was one. */
function problemOf({ is_error: isError, content }: ContentBlock): string | undefined {
  if (isError === true) return 'is_error'
  if (!isJsonObject(content) || !textOf(content['type']).endsWith('_error')) return undefined
  return textOf(content['error_code']) || 'unknown_error'
}
