import { subscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { Usage } from './site.ts'

const SAMPLE_MS = 20
let peakRss = 0

/** Samples the memory of this process repeatedly to find the peak. Not used while CPU is measured, because sampling adds to it. */
export function watchMemory(): void {
  const look = (): void => {
    peakRss = Math.max(peakRss, process.memoryUsage.rss())
  }
  setInterval(look, SAMPLE_MS)
}

/** The resources that this process has used so far. */
export function processUsage(events: number, collects: boolean): Usage {
  if (collects) {
    globalThis.gc?.()
    globalThis.gc?.()
  }
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed: heap } = process.memoryUsage()
  const usage = {
    cpuMs: (user + system) / 1000,
    events,
    rss,
    heap,
    peakRss: Math.max(peakRss, rss),
  }
  peakRss = 0
  return usage
}

/**
 * Watches the responses of every server in this process; returns a function that returns their
 * buffered bytes.
 */
export function watchHeldBytes(): () => { total: number; most: number } {
  const open = new Set<ServerResponse>()
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { readonly response: ServerResponse }
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return () => {
    const lengths = [...open].map(({ writableLength }) => writableLength)
    return {
      total: lengths.reduce((sum, length) => sum + length, 0),
      most: Math.max(0, ...lengths),
    }
  }
}
