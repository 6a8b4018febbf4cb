import { setTimeout } from 'node:timers/promises'
import type { Crowd } from './crowd.ts'
import { openCrowd } from './crowd.ts'
import { type OpenSite, openSite } from './open-site.ts'
import type { Load, SiteKind, Usage } from './site.ts'
import { type HealthFigures, watchHealth } from './watch-health.ts'

/** The cost of the readers of some runs to a server over a period. */
export interface LoadFigures {
  /** Frames that arrived, for each second. */
  readonly perSecond: number
  /** Share of the sent frames. */
  readonly delivered: number
  /** Frames of the logs that had not arrived when all runs had ended; undefined without logs. */
  readonly missing: number | undefined
  /** CPU of the server for each frame that arrived, in microseconds. */
  readonly cpuUs: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Not requested of a server without such a route. */
  readonly health: HealthFigures | undefined
}

/** The readers, and the duration of the measurement. */
export interface Watch extends Load {
  readonly readersPerRun: number
  readonly seconds: number
}

const WARM_UP_MS = 1_500
const POLL_MS = 20
/** Maximum time for the ends of all streams. */
const END_LIMIT_MS = 30_000

/** Starts a server with runs and readers, warms them up, and measures for a period. */
export async function watchLoad(
  name: SiteKind,
  watch: Watch,
  signal?: AbortSignal,
): Promise<LoadFigures> {
  const site = await openSite(name, signal)
  let crowd: Crowd | undefined
  try {
    const port = await site.listen()
    const paths = await site.start(watch)
    const all = paths.flatMap((path) => Array.from({ length: watch.readersPerRun }, () => path))
    const measureCrowd = async () => {
      crowd = await openCrowd(port, all)
      await sleep(WARM_UP_MS, signal)
      const figures = await measure(site, crowd, watch, signal)
      return { ...figures, missing: await countMissing(site, crowd, watch, signal) }
    }
    if (name === 'raw') return { ...(await measureCrowd()), health: undefined }
    const { result, health } = await watchHealth(port, measureCrowd)
    return { ...result, health }
  } finally {
    crowd?.close()
    await site.close()
  }
}

async function countMissing(
  site: OpenSite,
  crowd: Crowd,
  { readersPerRun }: Watch,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const stored = await site.stop()
  for (let left = END_LIMIT_MS; left > 0 && !crowd.isDone(); left -= POLL_MS) {
    await sleep(POLL_MS, signal)
  }
  return stored === undefined ? undefined : stored * readersPerRun - crowd.count()
}

async function measure(
  site: OpenSite,
  crowd: Crowd,
  watch: Watch,
  signal?: AbortSignal,
): Promise<Omit<LoadFigures, 'missing' | 'health'>> {
  crowd.takeLatencies()
  const before: Usage = await site.usage(true)
  const countBefore = crowd.count()
  const start = performance.now()
  await sleep(watch.seconds * 1000, signal)
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

/** Waits without doing anything; rejects when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, signal && { signal })
}
