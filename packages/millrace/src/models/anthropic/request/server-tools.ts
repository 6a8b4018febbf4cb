import type { ContentBlock, Message } from '../../../events/index.ts'
import { isJsonObject } from '../../../json/index.ts'
import { blockTraitsOf } from '../reader/block-traits.ts'
import { textOf } from '../reader/text-of.ts'

/** A call that the provider runs, with its result. */
interface ServerToolUse {
  readonly call: ContentBlock
  /** The result; undefined while the call is pending, for example after a pause of the provider. */
  readonly result: ContentBlock | undefined
  /** The provider's error code of a failed tool. The message itself did not fail. */
  readonly problem?: string
}

/** Finds the provider's calls and their results, which may be in a later message. */
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

/** Checks for a call that the provider runs. */
export function isServerToolCall({ type }: ContentBlock): boolean {
  return blockTraitsOf(type).kind === 'server_tool_call'
}

/** Checks for a result of a call that the provider ran. */
export function isServerToolResult({ type }: ContentBlock): boolean {
  return blockTraitsOf(type).kind === 'server_tool_result'
}

/** Returns the error code of a tool. MCP results have only a flag. */
function problemOf({ is_error: isError, content }: ContentBlock): string | undefined {
  if (isError === true) return 'is_error'
  if (!isJsonObject(content) || !textOf(content['type']).endsWith('_error')) return undefined
  return textOf(content['error_code']) || 'unknown_error'
}
