import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ConnectionGuard } from './connection-guard.ts'
import { LiveClient } from './live-client.ts'
import { loadSdk } from './load-sdk.ts'
import { toTimer } from './timers.ts'

/** Options of {@link connectClient}. */
export interface ClientSettings {
  readonly connectTimeoutMs: number
  readonly onToolsChanged: () => void
  /** Whether an error quotes the stderr of a process, which is for developers and not for models. */
  readonly quotesStderr: boolean
  readonly guard: ConnectionGuard
}

/** Connects a client of the official SDK over a transport. `endSession` ends the session of the server. */
export async function connectClient(
  transport: Transport,
  { connectTimeoutMs, onToolsChanged, guard }: ClientSettings,
  endSession: () => Promise<void> = async () => {},
): Promise<LiveClient> {
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await loadSdk(() =>
    Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]),
  )
  const client = new Client({ name: 'millrace', version: '1' })
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged)
  try {
    await client.connect(guard.wrap(transport), { timeout: toTimer(connectTimeoutMs) })
  } catch (error) {
    await client.close().catch(() => {})
    throw guard.failure ?? error
  }
  // The most permissive schema: the SDK's other schemas reject a whole list or result because of one invalid entry.
  const send: LiveClient['send'] = (request, options) =>
    client.request(request, ResultSchema, options)
  return new LiveClient(client, { send, endSession, guard })
}
