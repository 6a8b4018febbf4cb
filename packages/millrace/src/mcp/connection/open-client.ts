import { MillraceError } from '../../errors/index.ts'
import { type ClientSettings, connectClient } from './connect-client.ts'
import type { LiveClient } from './live-client.ts'
import type { McpServer } from '../mcp-server.ts'
import { openHttp } from './open-http.ts'
import { openProcess } from './open-process.ts'
import { reasonOf } from './reason-of.ts'

/** Connects to a server of any kind. */
export async function openClient(server: McpServer, settings: ClientSettings): Promise<LiveClient> {
  try {
    if ('command' in server) return await openProcess(server, settings)
    if ('url' in server) return await openHttp(server, settings)
    const { transport } = server
    const made = typeof transport === 'function' ? await transport() : transport
    return await connectClient(made, settings)
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause
    throw new MillraceError(
      'connection_lost',
      `The MCP server "${server.name}" could not be reached: ${reasonOf(cause)}.`,
      { cause },
    )
  }
}
