import type { JsonObject } from '../../json/index.ts'

/** Calls of the provider's own that wait for their results. */
export interface OwnCalls {
  open(block: JsonObject): void
  /** The id of the call that a result of this type answers, or undefined if none waits. */
  close(resultType: string): string | undefined
}

/** Creates a list of calls that wait, beginning with those of the message before. */
export function createOwnCalls(waiting: readonly JsonObject[]): OwnCalls {
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

/** Both ways to search for tools have results of one type. */
function resultTypeOf({ type, name }: JsonObject): string {
  if (type === 'mcp_tool_use') return 'mcp_tool_result'
  return String(name).startsWith('tool_search_tool')
    ? 'tool_search_tool_result'
    : `${String(name)}_tool_result`
}
