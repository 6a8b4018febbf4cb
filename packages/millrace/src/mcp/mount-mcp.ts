import type { Tool } from '../tools/index.ts'
import { createGuard } from './connection/connection-guard.ts'
import { listTools } from './list-tools.ts'
import { type McpOptions, toSettings } from './mcp-options.ts'
import type { McpServer } from './mcp-server.ts'
import { openClient } from './connection/open-client.ts'
import { ServerConnection } from './connection/server-connection.ts'
import { toTool } from './to-tool.ts'
import { createToolPins } from './tool-pins.ts'

/** The mounted tools of a server. */
export interface McpMount {
  /** The tools of the last listing. */
  readonly tools: readonly Tool[]
  /** Lists the tools again. This also happens when the server reports a change. */
  refresh(): Promise<readonly Tool[]>
  /** Closes the connection, and ends the process if there is one. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Connects to a Model Context Protocol server and exposes its tools to an agent. */
export async function mountMcp(server: McpServer, options: McpOptions = {}): Promise<McpMount> {
  const settings = toSettings(options)
  const { connectTimeoutMs } = settings
  let tools: readonly Tool[] = []
  let isMounted = false

  const list = async () => {
    const listed = await listTools(connection, server.name, settings)
    pins.update(listed)
    const names = nameTools(
      server.name,
      listed.map(({ name }) => name),
    )
    tools = listed.map((tool) =>
      toTool(tool, {
        name: names.get(tool.name) ?? tool.name,
        connection,
        settings,
        pins,
      }),
    )
    return tools
  }
  const pins = createToolPins(server.name, { isOn: settings.pinTools, list })
  const refresh = () => pins.list()
  const reportChanges = runSerially(async () => settings.onToolsChanged(await refresh()))
  const onToolsChanged = () => {
    pins.invalidate()
    reportChanges()
  }
  const connection = new ServerConnection(server.name, () => {
    // Another process or session may offer different tools under the same names.
    pins.invalidate()
    const guard = createGuard(server.name, settings)
    return openClient(server, {
      connectTimeoutMs,
      onToolsChanged,
      guard,
      quotesStderr: !isMounted,
    })
  })
  const close = () => connection.close()

  try {
    await refresh()
    isMounted = true
  } catch (error) {
    await close()
    throw error
  }
  return {
    get tools() {
      return tools
    },
    refresh,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Minimum delay between two listings. */
const MIN_INTERVAL_MS = 1000

/** Runs work one at a time. Requests during a run cause one more run after the delay. */
function runSerially(work: () => Promise<void>): () => void {
  let isRunning = false
  let isRequestedAgain = false
  const start = () => {
    isRequestedAgain = isRunning
    if (isRunning) return
    isRunning = true
    // If listing fails, the previous list stays.
    void work()
      .catch(() => {})
      .finally(() => {
        const finish = () => {
          isRunning = false
          if (isRequestedAgain) start()
        }
        setTimeout(finish, MIN_INTERVAL_MS).unref?.()
      })
  }
  return start
}

/** Maximum name length that all model APIs accept. */
const MAX_NAME_CHARS = 64

/**
 * Assigns tool names for a model: `server__tool`, with the characters and length that model APIs accept, and unique.
 * Valid names stay unchanged in any order of the list.
 */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map(tools.map((tool) => [tool, `${server}__${tool}`]))
  const taken = new Set([...names.values()].filter((name) => name === toPlainName(name)))
  return new Map(
    [...names].map(([tool, name]) => {
      const plain = toPlainName(name)
      if (plain === name) return [tool, name]
      const free = findFree(plain, taken)
      taken.add(free)
      return [tool, free]
    }),
  )
}

function toPlainName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_CHARS)
}

function findFree(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2, free = name; ; count++) {
    if (!taken.has(free)) return free
    const ending = `_${count}`
    free = name.slice(0, MAX_NAME_CHARS - ending.length) + ending
  }
}
