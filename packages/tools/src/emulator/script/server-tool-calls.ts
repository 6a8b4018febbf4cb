import type { JsonObject } from 'millrace'

/** Server tool calls that have no result yet. */
export interface ServerToolCalls {
  open(block: JsonObject): void
  /** Removes and returns the id of the call that a result of this type answers; undefined if there is none. */
  close(resultType: string): string | undefined
}

/** Creates a list of calls without a result, starting with those of the previous message. */
export function createServerToolCalls(waiting: readonly JsonObject[]): ServerToolCalls {
  const calls = [...waiting]
  return {
    open: (block) => void calls.push(block),
    close: (resultType) => {
      const fitting = calls.findIndex((call) => resultTypeOf(call) === resultType)
      const [call] = calls.splice(Math.max(fitting, 0), 1)
      return call === undefined ? undefined : String(call['id'])
    },
  }
}

/** Both variants of tool search have results of the same type. */
function resultTypeOf({ type, name }: JsonObject): string {
  if (type === 'mcp_tool_use') return 'mcp_tool_result'
  return String(name).startsWith('tool_search_tool')
    ? 'tool_search_tool_result'
    : `${String(name)}_tool_result`
}
