import { createServer } from 'node:http'
import { listen, type RunningServer } from 'millrace/node'
import {
  type LiveExchange,
  proxyExchange,
  type ProxyExchangeOptions,
  refuse,
} from './proxy-exchange.ts'

interface RecordingProxyOptions extends ProxyExchangeOptions {
  readonly port: number
  readonly host: string
}

/** Starts a proxy in front of an endpoint that records its exchanges. Closing it cuts active ones. */
export function startRecordingProxy({
  port,
  host,
  ...options
}: RecordingProxyOptions): Promise<RunningServer> {
  const live = new Set<LiveExchange>()
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/')) {
      return refuse(outgoing, 400, 'Request a path; this proxy has only one endpoint.')
    }
    const exchange = proxyExchange(incoming, outgoing, options)
    live.add(exchange)
    void exchange.done.then(() => live.delete(exchange))
  })
  const onClose = async (): Promise<void> => {
    const open = [...live]
    for (const exchange of open) exchange.stop()
    await Promise.all(open.map(({ done }) => done))
  }
  return listen(server, { port, host, closeGraceMs: 100, onClose })
}
