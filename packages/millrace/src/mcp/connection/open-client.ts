import { MillraceError } from '../../errors/index.ts'
import { type ClientSettings, connectClient } from './connect-client.ts'
import type { LiveClient } from './live-client.ts'
import type { McpServer, McpProcess } from '../mcp-server.ts'
import { openHttp } from './open-http.ts'
import { reasonOf } from './reason-of.ts'
import { keepEnvironmentSecrets } from '../../outbound/index.ts'
import { loadSdk } from './load-sdk.ts'

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

/** Number of stderr characters that an error quotes. */
const MAX_STDERR_CHARS = 2000

/** Starts a server process and connects to it. The process ends with its client. */
async function openProcess(server: McpProcess, settings: ClientSettings): Promise<LiveClient> {
  const [{ getDefaultEnvironment }, { ProcessTransport }] = await loadSdk(() =>
    Promise.all([
      import('@modelcontextprotocol/sdk/client/stdio.js'),
      import('./process-transport.ts'),
    ]),
  )
  const { name, command, args = [], env = {}, cwd, onStderr = () => {} } = server
  keepEnvironmentSecrets(env)
  const { guard } = settings
  const { maxMessageBytes } = guard.limits
  let stderrTail = ''
  const decoder = new TextDecoder()
  const transport = new ProcessTransport({
    command,
    args,
    env: { ...getDefaultEnvironment(), ...env },
    cwd,
    maxMessageBytes,
    onOverflow: () => guard.fail(`sent a message of more than ${maxMessageBytes} bytes`),
    onStderr: (bytes) => {
      const text = decoder.decode(bytes, { stream: true })
      stderrTail = (stderrTail + text).slice(-MAX_STDERR_CHARS)
      onStderr(text)
    },
  })
  try {
    return await connectClient(transport, settings)
  } catch (cause) {
    const stderr = settings.quotesStderr ? stderrTail.trim() : ''
    const quotation = stderr === '' ? '' : ` It wrote:\n${stderr}`
    throw new MillraceError(
      'connection_lost',
      `The MCP server "${name}" (\`${command}\`) could not be started: ${reasonOf(cause)}.${quotation}`,
      { cause },
    )
  }
}
