import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { listen, type RunningServer } from 'millrace/node'
import type { Replay } from '../recordings/index.ts'
import { drained } from './pump.ts'

interface ReplayServerOptions {
  readonly replay: Replay
  readonly port: number
  readonly host: string
}

/** Serves a replay on a port: each chunk is one write, and a body that was cut closes the connection. */
export function startReplayServer({
  replay,
  port,
  host,
}: ReplayServerOptions): Promise<RunningServer> {
  const server = createServer((incoming, outgoing) => void answer(replay, incoming, outgoing))
  return listen(server, { port, host, closeGraceMs: 100 })
}

async function answer(
  replay: Replay,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const stop = new AbortController()
  outgoing.on('close', () => stop.abort())
  outgoing.on('error', () => outgoing.destroy())
  try {
    const response = await replay.fetch(toRequest(incoming, stop.signal))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.flushHeaders()
    for await (const chunk of response.body ?? []) {
      if (!outgoing.write(chunk)) await drained(outgoing)
    }
    outgoing.end()
  } catch {
    // The recording was cut here, or the client has disconnected.
    outgoing.destroy()
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null
  const names = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  const init = { method, headers: Object.fromEntries(names), body, signal, duplex: 'half' }
  return new Request(new URL(url, 'http://replay.invalid'), init)
}
