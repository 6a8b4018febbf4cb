import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a store and Redis that cuts at given positions. */
export interface RedisProxy {
  readonly url: string
  /**
   * Passes the next request that contains a word to Redis, and cuts the connection instead of returning the response; then it accepts new
   * connections, or rejects them.
   */
  loseAnswerTo(word: string, then?: 'accept' | 'refuse'): void
  /** Cuts all connections and rejects new ones until it is re-enabled. */
  refuse(): void
  accept(): void
  /** Cuts all connections, and connects new ones to another Redis. */
  redirect(port: number): void
  close(): Promise<void>
}

/** Starts a proxy before a Redis on this port of the loopback; `rewrite` may change responses. */
export async function startRedisProxy(
  first: number,
  rewrite: (answer: Buffer) => Buffer = (answer) => answer,
): Promise<RedisProxy> {
  const sockets = new Set<Socket>()
  let word: string | undefined
  let isLast = false
  let isRefusing = false
  let port = first

  const server = createServer((client) => {
    if (isRefusing) {
      client.destroy()
      return
    }
    const redis = connect(port, '127.0.0.1')
    let isLosing = false
    const cut = (): void => {
      client.destroy()
      redis.destroy()
    }
    for (const socket of [client, redis]) {
      sockets.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (chunk) => {
      isLosing ||= word !== undefined && chunk.includes(word)
      if (isLosing) word = undefined
      redis.write(chunk)
    })
    redis.on('data', (chunk) => {
      if (isLosing) isRefusing ||= isLast
      if (isLosing) cut()
      else client.write(rewrite(chunk))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswerTo: (asked, then = 'accept') => {
      word = asked
      isLast = then === 'refuse'
    },
    refuse: () => {
      isRefusing = true
      cutAll()
    },
    accept: () => (isRefusing = false),
    redirect: (other) => {
      port = other
      cutAll()
    },
    close: async () => {
      server.close()
      cutAll()
      await once(server, 'close')
    },
  }
}
