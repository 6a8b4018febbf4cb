import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The faults of a proxy before Postgres. */
export interface PostgresFaults {
  /** Returns whether a notification is dropped, given its payload. */
  readonly dropsNotification?: (payload: string) => boolean
  /** Returns whether a connection is cut at this statement, and when. */
  readonly chooseCut?: () => 'before it is sent' | 'after it is sent' | 'in its answer' | undefined
}

/** A proxy before Postgres. */
export interface PostgresProxy {
  readonly url: `postgres://${string}`
  close(): Promise<void>
}

/** `A` is the type of a message with a notification. */
const NOTIFICATION = 0x41
/** Type and length come before the rest of a message; the number of a process follows in a notification. */
const HEADER_BYTES = 5
const PROCESS_BYTES = 4

/** Starts a proxy before the Postgres on this port of the loopback. */
export async function openPostgresProxy(
  port: number,
  { dropsNotification, chooseCut = () => undefined }: PostgresFaults,
): Promise<PostgresProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const postgres = connect(port, '127.0.0.1')
    let cut: ReturnType<typeof chooseCut>
    let isStarted = false
    const end = (): void => {
      client.destroy()
      postgres.destroy()
    }
    for (const socket of [client, postgres]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    const pass = (bytes: Buffer): void => void client.write(bytes)
    const answer = dropsNotification === undefined ? pass : createFilter(pass, dropsNotification)
    client.on('data', (chunk) => {
      // The first message is the greeting, not a statement.
      if (isStarted) cut ??= chooseCut()
      isStarted = true
      if (cut !== 'before it is sent') postgres.write(chunk)
      if (cut !== undefined && cut !== 'in its answer') postgres.end(end)
    })
    postgres.on('data', (chunk) => {
      if (cut === undefined) return answer(chunk)
      if (cut === 'in its answer') client.write(chunk.subarray(0, chunk.length / 2), end)
      else end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    url: `postgres://postgres@127.0.0.1:${own}/postgres`,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Removes notifications from the output of Postgres, which arrives in any chunks. */
function createFilter(
  pass: (bytes: Buffer) => void,
  drops: (payload: string) => boolean,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= HEADER_BYTES) {
      const end = 1 + rest.readUInt32BE(1)
      if (rest.length < end) return
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      if (message[0] === NOTIFICATION && drops(payloadOf(message))) continue
      pass(message)
    }
  }
}

/** The channel and the payload end with a zero each. */
function payloadOf(message: Buffer): string {
  const [, payload = ''] = message.toString('utf8', HEADER_BYTES + PROCESS_BYTES).split('\0')
  return payload
}
