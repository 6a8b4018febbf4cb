import type { Tool } from '../tools/index.ts'
import { listTools } from './list-tools.ts'
import { type McpOptions, toSettings } from './mcp-options.ts'
import type { McpServer } from './mcp-server.ts'
import { openClient } from './open-client.ts'
import { ServerConnection } from './server-connection.ts'
import { toTool } from './to-tool.ts'
import { nameTools } from './tool-names.ts'

/** The tools of a server, for as long as it is mounted. */
export interface McpMount {
  /** As the server last listed them. */
  readonly tools: readonly Tool[]
  /** Lists them anew, which also happens when the server says that they have changed. */
  refresh(): Promise<readonly Tool[]>
  /** Ends the connection, and the process if we started one. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Connects to a server of the Model Context Protocol and makes its tools those of an agent. */
export async function mountMcp(server: McpServer, options: McpOptions = {}): Promise<McpMount> {
  const settings = toSettings(options)
  const { connectTimeoutMs } = settings
  let tools: readonly Tool[] = []
  let isMounted = false

  const refresh = async () => {
    const listed = await listTools(connection, server.name, settings)
    const names = nameTools(
      server.name,
      listed.map(({ name }) => name),
    )
    tools = listed.map((tool) =>
      toTool(tool, { name: names.get(tool.name) ?? tool.name, connection, settings }),
    )
    return tools
  }
  const onToolsChanged = runOneByOne(async () => settings.onToolsChanged(await refresh()))
  const connection = new ServerConnection(server.name, () =>
    openClient(server, { connectTimeoutMs, onToolsChanged, tellsLastWords: !isMounted }),
  )
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

/** Runs work in answer to notices, however many come: one at a time, and once more for those that came meanwhile. */
function runOneByOne(work: () => Promise<void>): () => void {
  let isRunning = false
  let isAskedAgain = false
  const start = () => {
    isAskedAgain = isRunning
    if (isRunning) return
    isRunning = true
    // A list that cannot be read leaves the last one in place.
    void work()
      .catch(() => {})
      .finally(() => {
        isRunning = false
        if (isAskedAgain) start()
      })
  }
  return start
}
