import type { Crowd } from './crowd.ts'
import { openCrowd } from './crowd.ts'
import { type OpenSite, openSite } from './open-site.ts'
import type { Load, SiteKind, Usage } from './site.ts'

/** What readers of some runs cost a server, over a while. */
export interface LoadFigures {
  /** Messages that arrived, for each second. */
  readonly perSecond: number
  /** Part of those that were sent. */
  readonly delivered: number
  /** CPU of the server for each message that arrived, in microseconds. */
  readonly cpuUs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Who reads, and for how long it is watched. */
export interface Watch extends Load {
  readonly readersPerRun: number
  readonly seconds: number
}

const WARM_UP_MS = 1_500

/** Starts a server with runs and readers, lets them warm up, and measures for a while. */
export async function watchLoad(kind: SiteKind, watch: Watch): Promise<LoadFigures> {
  const site = openSite(kind)
  let crowd: Crowd | undefined
  try {
    const port = await site.listen()
    const paths = await site.start(watch)
    const all = paths.flatMap((path) => Array.from({ length: watch.readersPerRun }, () => path))
    crowd = await openCrowd(port, all)
    await sleep(WARM_UP_MS)
    return await measure(site, crowd, watch)
  } finally {
    crowd?.close()
    site.close()
  }
}

async function measure(site: OpenSite, crowd: Crowd, watch: Watch): Promise<LoadFigures> {
  crowd.takeLatencies()
  const before: Usage = await site.usage(true)
  const countBefore = crowd.count()
  const start = performance.now()
  await sleep(watch.seconds * 1000)
  const after = await site.usage(false)
  const seconds = (performance.now() - start) / 1000
  const count = crowd.count() - countBefore
  const latencies = crowd.takeLatencies()
  const sent = (after.events - before.events) * watch.readersPerRun
  return {
    perSecond: count / seconds,
    delivered: count / sent,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / count,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? NaN,
  }
}

/** Waits without doing anything. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
