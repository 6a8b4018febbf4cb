import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fixed address in front of servers that are killed and started again. */
export interface Relay {
  readonly url: string
  /** Passes new connections to this server. */
  readonly aim: (url: string) => void
  /** Cuts all connections; returns whether there were any. */
  readonly cut: () => boolean
  readonly close: () => void
}

/** Opens a relay, which refuses connections until it has a server. */
export async function openRelay(): Promise<Relay> {
  const sockets = new Set<Socket>()
  let port = 0
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  const cut = (): boolean => {
    const had = sockets.size > 0
    for (const socket of sockets) socket.destroy()
    return had
  }
  return {
    url: `http://127.0.0.1:${own}`,
    aim: (url) => {
      port = Number(new URL(url).port)
    },
    cut,
    close: () => {
      cut()
      server.close()
    },
  }
}
