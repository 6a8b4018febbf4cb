import { type Crowd, openCrowd } from './crowd.ts'
import { openSite } from './open-site.ts'
import type { SiteName } from './site.ts'
import { sleep } from './watch-load.ts'

/** What it took to read a log from its beginning to its end. */
export interface ReplayFigures {
  /** Messages that arrived; fewer than the log has where they are merged. */
  readonly arrived: number
  readonly megabytes: number
  readonly seconds: number
  /** CPU of the server for each message of the log, in microseconds. */
  readonly cpuUs: number
  /** How much more memory the server held at most than before. */
  readonly moreBytes: number
}

/** What 100 readers hold that never read. */
export interface StalledFigures {
  readonly mostBytes: number
  readonly averageBytes: number
  /** How much more memory the server has, for each. */
  readonly rssEach: number
}

const POLL_MS = 20
const SETTLE_MS = 1_500
const STALLED_READERS = 100

/** Reads a log of so many messages once, merged or one by one; the first reading warms the server up. */
export async function measureReplay(
  name: SiteName,
  messages: number,
  query: string,
  signal?: AbortSignal,
): Promise<ReplayFigures> {
  const site = openSite(name, signal)
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
    const found = await read(0)
    const seconds = (performance.now() - start) / 1000
    const after = await site.usage(false)
    const cpuUs = ((after.cpuMs - before.cpuMs) * 1000) / messages
    return { ...found, seconds, cpuUs, moreBytes: after.peakRss - before.rss }
  } finally {
    site.close()
  }
}

/** Opens readers that never read, waits until nothing moves any more, and looks at what is held for them. */
export async function measureStalled(
  messages: number,
  name: SiteName = 'sqlite',
  signal?: AbortSignal,
): Promise<StalledFigures> {
  const site = openSite(name, signal)
  let crowd: Crowd | undefined
  try {
    const port = await site.listen()
    const path = await site.fill(messages)
    const before = await site.usage(true)
    const paths = Array.from({ length: STALLED_READERS }, () => `${path}?compact=0`)
    crowd = await openCrowd(port, paths, { reads: false })
    let held = await site.held()
    for (let last = -1; held.total !== last || held.total === 0; held = await site.held()) {
      last = held.total
      await sleep(SETTLE_MS, signal)
    }
    const after = await site.usage(true)
    return {
      mostBytes: held.most,
      averageBytes: held.total / STALLED_READERS,
      rssEach: (after.rss - before.rss) / STALLED_READERS,
    }
  } finally {
    crowd?.close()
    site.close()
  }
}
