import { type Crowd, openCrowd } from './crowd.ts'
import { openSite } from './open-site.ts'
import type { SiteKind } from './site.ts'
import { type HealthFigures, watchHealth } from './watch-health.ts'
import { sleep } from './watch-load.ts'

const READERS = 5_000
/** The first readers make the server compile code and allocate data that all readers share. */
const FIRST_READERS = 300
const SETTLE_MS = 500

/** Measures the bytes that a server holds for each reader of a silent run. */
export async function measureIdle(
  name: SiteKind,
  signal?: AbortSignal,
): Promise<{ rss: number; heap: number; health: HealthFigures }> {
  const site = await openSite(name, signal)
  const crowds: Crowd[] = []
  try {
    const port = await site.listen()
    const [path = ''] = await site.start({ runs: 1, perSecond: 0 })
    const join = async (count: number) => {
      crowds.push(
        await openCrowd(
          port,
          Array.from({ length: count }, () => path),
        ),
      )
      await sleep(SETTLE_MS, signal)
      return site.usage(true)
    }
    const before = await join(FIRST_READERS)
    const { result: after, health } = await watchHealth(port, () => join(READERS))
    const each = (field: 'rss' | 'heap') => (after[field] - before[field]) / READERS
    return { rss: each('rss'), heap: each('heap'), health }
  } finally {
    for (const crowd of crowds) crowd.close()
    await site.close()
  }
}
