import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { processUsage, watchHeldBytes } from './process-usage.ts'
import { nextDelta, type Site } from './site.ts'

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * The minimum work of any server on Node: each event is created once and written to each response,
 * and nothing is stored.
 */
export function createRawSite(): Site {
  const readers = new Map<string, Set<ServerResponse>>()
  const timers: NodeJS.Timeout[] = []
  let events = 0
  const held = watchHeldBytes()

  const server = createServer((request, response) => {
    const known = readers.get(request.url ?? '')
    if (known === undefined) return void response.writeHead(404).end()
    response.writeHead(200, headers)
    response.write('retry: 1000\n\n')
    known.add(response)
    response.once('close', () => known.delete(response))
  })

  const say = (path: string, id: number): void => {
    const line = JSON.stringify({ type: 'text', agent: path, final: false, delta: nextDelta() })
    const frame = Buffer.from(`id: ${id}\ndata: ${line}\n\n`)
    for (const response of readers.get(path) ?? []) response.write(frame)
    events++
  }

  return {
    listen: () =>
      new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      }),
    start: async ({ runs, perSecond }) => {
      const paths = Array.from({ length: runs }, () => `/${crypto.randomUUID()}`)
      for (const path of paths) {
        let id = 0
        readers.set(path, new Set())
        if (perSecond > 0) timers.push(setInterval(() => say(path, ++id), 1000 / perSecond))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return paths
    },
    stop: async () => {
      for (const timer of timers.splice(0)) clearInterval(timer)
      for (const known of readers.values()) for (const response of known) response.end()
      return undefined
    },
    fill: async () => {
      throw new Error('A raw server keeps nothing that could be read again.')
    },
    held: async () => held(),
    usage: async (collects) => processUsage(events, collects),
  }
}
