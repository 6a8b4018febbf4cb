import { MillraceError } from '../errors/index.ts'
import { isJsonArray } from '../json/index.ts'
import { type ListedTool, toListedTool } from './listed-tool.ts'
import type { McpSettings } from './mcp-options.ts'
import type { ServerConnection } from './server-connection.ts'

/** A list that goes on after this many pages has no end. */
const MAX_PAGES = 1000

/** Reads all pages of a server's list and chooses from it, as the options say. */
export async function listTools(
  connection: ServerConnection,
  serverName: string,
  settings: McpSettings,
): Promise<readonly ListedTool[]> {
  const { allow, deny, maxTools, connectTimeoutMs } = settings
  const allowed = new Set(allow)
  const denied = new Set(deny)
  const offered = new Set<string>()
  const chosen: ListedTool[] = []
  for await (const tool of readList(connection, connectTimeoutMs)) {
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
  timeoutMs: number,
): AsyncGenerator<ListedTool> {
  let cursor: string | undefined
  for (let page = 1; page <= MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: 'tools/list', params, timeoutMs, isRepeatable: true }
    const { tools, nextCursor } = await connection.request(request)
    if (isJsonArray(tools)) yield* tools.flatMap((tool) => toListedTool(tool) ?? [])
    if (typeof nextCursor !== 'string' || nextCursor === cursor) return
    cursor = nextCursor
  }
}

function tooMany(serverName: string, maxTools: number): MillraceError {
  return new MillraceError(
    'bad_request',
    `The MCP server "${serverName}" offers more than ${maxTools} tools; choose some with \`allow\` or \`deny\`, or raise \`maxTools\`.`,
  )
}

function notOffered(
  serverName: string,
  missing: string,
  offered: ReadonlySet<string>,
): MillraceError {
  const names = [...offered].slice(0, 50).join(', ')
  return new MillraceError(
    'bad_request',
    `The MCP server "${serverName}" has no tool "${missing}", which \`allow\` names; it has: ${names}.`,
  )
}
