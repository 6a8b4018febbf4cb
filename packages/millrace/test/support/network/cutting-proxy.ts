import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The position at which a response is interrupted. */
export interface Cut {
  /** The number of body bytes that are passed on; with 0 there is no response at all. */
  readonly after: number
  /** Whether the connection fails, or the body ends as if it were complete. */
  readonly manner: 'break' | 'end'
}

/** A request that was passed on, and its response. */
export interface Passed {
  readonly method: string
  readonly lastEventId: string | undefined
  /** 0 without a response of the server. */
  status: number
}

/** A proxy between a client and a server that cuts at given positions. */
export interface CuttingProxy {
  readonly url: string
  readonly passed: readonly Passed[]
  /** Routes later connections to another server. */
  lead(target: string): void
  close(): Promise<void>
}

/** Starts a proxy that cuts its first responses, one after the other; later ones are complete. */
export async function startCuttingProxy(
  target: string,
  cuts: readonly Cut[] = [],
): Promise<CuttingProxy> {
  const passed: Passed[] = []
  let origin = target
  const server = createServer((asked, answer) => {
    const cut = cuts[passed.length]
    const one = { method: asked.method ?? '', lastEventId: lastEventIdOf(asked), status: 0 }
    passed.push(one)
    const { method, headers } = asked
    const forward = request(`${origin}${asked.url ?? ''}`, { method, headers, agent: false })
    const tear = (): void => void answer.socket?.destroy()
    forward.on('error', tear)
    forward.on('response', (given) => {
      one.status = given.statusCode ?? 0
      if (cut?.after === 0) tear()
      else pass(given, answer, cut)
    })
    answer.on('close', () => forward.destroy())
    asked.pipe(forward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    lead: (other) => (origin = other),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function lastEventIdOf({ headers }: IncomingMessage): string | undefined {
  const value = headers['last-event-id']
  return Array.isArray(value) ? value[0] : value
}

function pass(given: IncomingMessage, answer: ServerResponse, cut: Cut | undefined): void {
  const tear = (): void => void answer.socket?.destroy()
  let left = cut?.after ?? Infinity
  answer.writeHead(given.statusCode ?? 502, given.headers)
  given.on('data', (chunk: Buffer) => {
    if (left <= 0) return
    const isLast = chunk.length >= left
    answer.write(chunk.subarray(0, Math.min(left, chunk.length)), () => {
      if (isLast && cut?.manner === 'break') tear()
    })
    left -= chunk.length
    if (isLast && cut?.manner === 'end') answer.end()
  })
  given.on('end', () => {
    if (left > 0) answer.end()
  })
  // The server closed the connection in the middle.
  given.on('error', tear)
}
