import { LiveClient } from './live-client.ts'
import { loadSdk } from './load-sdk.ts'
import type { McpTransport } from './mcp-server.ts'
import { toTimer } from './timers.ts'

/** How a client comes about. */
export interface ClientSettings {
  readonly connectTimeoutMs: number
  readonly onToolsChanged: () => void
  /** Whether an error repeats what a process wrote, which is for those who mount it and no model. */
  readonly tellsLastWords: boolean
}

/** Connects a client of the official SDK over a transport; `sayGoodbye` tells the server when it is left. */
export async function connectClient(
  transport: McpTransport,
  { connectTimeoutMs, onToolsChanged }: ClientSettings,
  sayGoodbye: () => Promise<void> = async () => {},
): Promise<LiveClient> {
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await loadSdk(() =>
    Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]),
  )
  const client = new Client({ name: 'millrace', version: '1' })
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged)
  await client.connect(transport, { timeout: toTimer(connectTimeoutMs) })
  // The loosest schema: the SDK's others refuse a whole list or result for one odd entry.
  const ask: LiveClient['ask'] = (request, options) =>
    client.request(request, ResultSchema, options)
  return new LiveClient(client, ask, sayGoodbye)
}
