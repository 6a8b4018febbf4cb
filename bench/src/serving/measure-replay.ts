import { type Crowd, openCrowd } from './crowd.ts'
import { openSite } from './open-site.ts'
import type { SiteKind } from './site.ts'
import { type HealthFigures, watchHealth } from './watch-health.ts'
import { sleep } from './watch-load.ts'

/** The cost of reading a log from its beginning to its end. */
export interface ReplayFigures {
  /** Frames that arrived; fewer than the log has if they are merged. */
  readonly arrived: number
  readonly megabytes: number
  readonly seconds: number
  /** CPU of the server for each frame of the log, in microseconds. */
  readonly cpuUs: number
  /** The maximum additional memory of the server. */
  readonly moreBytes: number
  readonly health: HealthFigures
}

/** The memory held for readers that never read. */
export interface StalledFigures {
  readonly mostBytes: number
  readonly averageBytes: number
  /** The additional memory of the server for each. */
  readonly rssEach: number
  readonly health: HealthFigures
}

/** The unread logs, and the number of their readers. */
export interface StalledOptions {
  readonly messages: number
  readonly readers?: number
  readonly name?: SiteKind
}

const POLL_MS = 20
const SETTLE_MS = 1_500

/** Reads a log of this many frames once, merged or one by one; the first reading warms the server up. */
export async function measureReplay(
  name: SiteKind,
  messages: number,
  query: string,
  signal?: AbortSignal,
): Promise<ReplayFigures> {
  const site = await openSite(name, signal)
  try {
    const port = await site.listen()
    const path = await site.fill(messages)
    const read = async (cursor: number) => {
      const crowd = await openCrowd(port, [`${path}?${query}&cursor=${cursor}`])
      while (!crowd.isDone()) await sleep(POLL_MS, signal)
      crowd.close()
      return { arrived: crowd.count(), megabytes: crowd.bytes() / 1_000_000 }
    }
    await read(Math.max(0, messages - 20_000))
    const before = await site.usage(true)
    const start = performance.now()
    const { result: found, health } = await watchHealth(port, () => read(0))
    const seconds = (performance.now() - start) / 1000
    const after = await site.usage(false)
    const cpuUs = ((after.cpuMs - before.cpuMs) * 1000) / messages
    return { ...found, seconds, cpuUs, moreBytes: after.peakRss - before.rss, health }
  } finally {
    await site.close()
  }
}

/** Opens readers that never read, waits until nothing is sent any more, and measures the memory held for them. */
export async function measureStalled(
  { messages, readers = 100, name = 'sqlite' }: StalledOptions,
  signal?: AbortSignal,
): Promise<StalledFigures> {
  const site = await openSite(name, signal)
  let crowd: Crowd | undefined
  try {
    const port = await site.listen()
    const path = await site.fill(messages)
    const before = await site.usage(true)
    const paths = Array.from({ length: readers }, () => `${path}?compact=0`)
    const { result: held, health } = await watchHealth(port, async () => {
      crowd = await openCrowd(port, paths, { reads: false })
      let found = await site.held()
      for (let last = -1; found.total !== last || found.total === 0; found = await site.held()) {
        last = found.total
        await sleep(SETTLE_MS, signal)
      }
      return found
    })
    const after = await site.usage(true)
    return {
      mostBytes: held.most,
      averageBytes: held.total / readers,
      rssEach: (after.rss - before.rss) / readers,
      health,
    }
  } finally {
    crowd?.close()
    await site.close()
  }
}
