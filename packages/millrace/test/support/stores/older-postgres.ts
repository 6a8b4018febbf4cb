import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Starts a proxy before a Postgres 15 on this port of the loopback, which reports version 12. */
export async function startOlderPostgres(
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const postgres = connect(port, '127.0.0.1')
    const cut = (): void => {
      client.destroy()
      postgres.destroy()
    }
    for (const socket of [client, postgres]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', cut)
    }
    client.on('data', (chunk) => void postgres.write(chunk))
    // The length of messages stays the same: 150008 and 15.8 become 120008 and 12.8.
    postgres.on('data', (chunk) => {
      const text = chunk.toString('latin1').replaceAll(/15(?=00\d\d|\.\d)/g, '12')
      client.write(Buffer.from(text, 'latin1'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
