import { badRequest, type MillraceError } from '../errors/index.ts'
import { isJsonArray } from '../json/index.ts'
import { type ListedTool, toListedTool } from './listed-tool.ts'
import type { McpSettings } from './mcp-options.ts'
import type { ServerConnection } from './connection/server-connection.ts'
import { toTimer } from './connection/timers.ts'

/** Maximum number of pages and entries of a tool list. A longer list is treated as endless. */
const MAX_PAGES = 1000
const MAX_ENTRIES = 10_000

/** Reads all pages of a server's tool list and selects tools by the options. */
export async function listTools(
  connection: ServerConnection,
  serverName: string,
  settings: McpSettings,
): Promise<readonly ListedTool[]> {
  const { allow, deny, maxTools } = settings
  const allowed = new Set(allow)
  const denied = new Set(deny)
  const offered = new Set<string>()
  const chosen: ListedTool[] = []
  for await (const tool of readList(connection, serverName, settings)) {
    if (offered.has(tool.name)) continue
    offered.add(tool.name)
    const isAllowed = allow.length === 0 || allowed.has(tool.name)
    if (!isAllowed || denied.has(tool.name)) continue
    chosen.push(tool)
    if (chosen.length > maxTools) throw tooMany(serverName, maxTools)
  }
  const missing = allow.find((name) => !offered.has(name))
  if (missing !== undefined) throw notOffered(serverName, missing, offered)
  return chosen
}

async function* readList(
  connection: ServerConnection,
  serverName: string,
  { connectTimeoutMs, maxSchemaChars }: McpSettings,
): AsyncGenerator<ListedTool> {
  // One timeout for all pages: each page could take that long.
  const deadline = createDeadline(connectTimeoutMs)
  const cursors = new Set<string | undefined>()
  let cursor: string | undefined
  let entries = 0
  try {
    do {
      cursors.add(cursor)
      const params = cursor === undefined ? {} : { cursor }
      const bounds = { timeoutMs: connectTimeoutMs, signal: deadline.signal, isRepeatable: true }
      const page = await connection.request({ method: 'tools/list', params, ...bounds })
      const tools = isJsonArray(page['tools']) ? page['tools'] : []
      entries += tools.length
      if (entries > MAX_ENTRIES || cursors.size > MAX_PAGES) throw endless(serverName)
      yield* tools.flatMap((tool) => toListedTool(tool, { maxSchemaChars }) ?? [])
      cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
      if (cursors.has(cursor) && cursor !== undefined) throw endless(serverName)
    } while (cursor !== undefined)
  } finally {
    deadline.dispose()
  }
}

function createDeadline(ms: number): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController()
  const stop = () => controller.abort(new Error(`The list of tools took longer than ${ms} ms`))
  const timer = setTimeout(stop, toTimer(ms))
  return { signal: controller.signal, dispose: () => clearTimeout(timer) }
}

function endless(serverName: string): MillraceError {
  return badRequest(
    `The list of tools of the MCP server "${serverName}" does not end: it has more than ${MAX_ENTRIES} entries or ${MAX_PAGES} pages, or repeats a page.`,
  )
}

function tooMany(serverName: string, maxTools: number): MillraceError {
  return badRequest(
    `The MCP server "${serverName}" offers more than ${maxTools} tools; choose some with \`allow\` or \`deny\`, or raise \`maxTools\`.`,
  )
}

function notOffered(
  serverName: string,
  missing: string,
  offered: ReadonlySet<string>,
): MillraceError {
  const names = [...offered].slice(0, 50).join(', ')
  return badRequest(
    `The MCP server "${serverName}" has no tool "${missing}", which is in \`allow\`; it has: ${names}.`,
  )
}
