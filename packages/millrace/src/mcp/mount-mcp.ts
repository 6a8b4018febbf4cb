import type { Tool } from '../tools/index.ts'
import { createGuard } from './connection-guard.ts'
import { listTools } from './list-tools.ts'
import { type McpOptions, toSettings } from './mcp-options.ts'
import type { McpServer } from './mcp-server.ts'
import { openClient } from './open-client.ts'
import { ServerConnection } from './server-connection.ts'
import { toTool } from './to-tool.ts'
import { nameTools } from './tool-names.ts'
import { createToolPins } from './tool-pins.ts'

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
  const tellChanges = runOneByOne(async () => settings.onToolsChanged(await refresh()))
  const onToolsChanged = () => {
    pins.doubt()
    tellChanges()
  }
  const connection = new ServerConnection(server.name, () => {
    // Another process, or another session, may offer something else under the same names.
    pins.doubt()
    const guard = createGuard(server.name, settings)
    return openClient(server, {
      connectTimeoutMs,
      onToolsChanged,
      guard,
      tellsLastWords: !isMounted,
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

/** Notices that come faster are answered together. */
const REST_MS = 1000

/** Runs work in answer to notices: one at a time, and once more, after a rest, for those that came meanwhile. */
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
        const goOn = () => {
          isRunning = false
          if (isAskedAgain) start()
        }
        setTimeout(goOn, REST_MS).unref?.()
      })
  }
  return start
}
