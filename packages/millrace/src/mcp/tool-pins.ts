import { MillraceError } from '../errors/index.ts'
import type { Tool } from '../tools/index.ts'
import type { ListedTool } from './listed-tool.ts'
import { reasonOf } from './connection/reason-of.ts'

/** Compares the tools of an agent with the current tools of their server. */
export type ToolPins = ReturnType<typeof createToolPins>

/** Creates a check that refuses a tool whose definition has changed since it was offered. */
export function createToolPins(
  serverName: string,
  { isOn, list }: { readonly isOn: boolean; readonly list: () => Promise<readonly Tool[]> },
) {
  let current: ReadonlyMap<string, string> = new Map()
  let isStale = false
  let reading: Promise<readonly Tool[]> | undefined
  const read = () => {
    isStale = false
    reading ??= list().finally(() => (reading = undefined))
    return reading
  }
  return {
    /** Marks the list as possibly outdated. */
    invalidate: () => void (isStale = true),
    update: (listed: readonly ListedTool[]) =>
      void (current = new Map(listed.map((tool) => [tool.name, toPin(tool)]))),
    /** Reads the list again. Concurrent callers share one request. */
    list: read,
    /** Throws if a tool differs from the offered one. */
    async check(tool: ListedTool) {
      if (!isOn) return
      if (isStale || reading !== undefined) {
        await read().catch((error: unknown) => {
          isStale = true
          throw refusal(`could not list its tools again (${reasonOf(error)})`)
        })
      }
      const pin = current.get(tool.name)
      if (pin === undefined) throw refusal('no longer offers this tool')
      if (pin !== toPin(tool)) {
        throw refusal('has changed the description or the schema of this tool')
      }
    },
  }

  function refusal(reason: string): MillraceError {
    return new MillraceError(
      'conflict',
      `The call was not made: the MCP server "${serverName}" ${reason}. If you trust its current tools, pass the tools of the mount to the agent again.`,
    )
  }
}

/** Returns the text that identifies a version of a tool. It is not hashed, so two versions cannot collide. */
function toPin({ description, inputSchema, annotations }: ListedTool): string {
  return JSON.stringify([description, inputSchema, annotations])
}
