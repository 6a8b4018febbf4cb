import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import type { PageContent } from './content.ts'
import type { PageKind } from './page-kinds.ts'
import type { Playing } from './playing.ts'
import { readTimes } from './read-times.ts'
import type { Stage } from './stage.ts'

/** The cost of a page. Times are CPU time of its main thread, because other work on the machine adds little to it. */
export interface PageFigures {
  /** The duration of the stream. */
  readonly seconds: number
  /** The number of renders of the page, if it reports them. */
  readonly renders: number | undefined
  readonly taskMs: number
  readonly scriptMs: number
  readonly layoutMs: number
  /** Ratio of main-thread time of the second half to that of the first. */
  readonly growth: number
  /** The share of screen frames that the page did not draw. */
  readonly droppedFrames: number
  /** By the clock; 0 if none took 50 ms. */
  readonly longestTaskMs: number
}

interface FrameWatch {
  readonly frames: number
  readonly dropped: number
  readonly longestTaskMs: number
  readonly reset: () => void
}

const frameWatch = fileURLToPath(new URL('frame-watch.mjs', import.meta.url))
/** A slow page may take this much longer than the stream. */
const PATIENCE_MS = 300_000

/** The browser has ended the page before the end of the stream. */
export class PageCrash extends Error {}

/** Opens a page, streams the content to it, and returns the cost. */
export async function measurePage(
  stage: Stage,
  kind: PageKind,
  content: PageContent,
): Promise<PageFigures> {
  const context = await stage.browser.newContext()
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const crash = new Promise<never>((_, reject) => {
      page.on('crash', () => reject(new PageCrash(`${kind.name} crashed`)))
    })
    crash.catch(() => {})
    await page.addInitScript({ path: frameWatch })
    await page.goto(kind.address(stage))
    await kind.prepare(page)
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const figures = measureStream(page, session, kind, stage.play(content))
    figures.catch(() => {}) // after a crash they are not awaited
    return await Promise.race([figures, crash])
  } finally {
    await context.close()
  }
}

async function measureStream(
  page: Page,
  session: CDPSession,
  kind: PageKind,
  playing: Playing,
): Promise<PageFigures> {
  await page.evaluate('frameWatch.reset()')
  const before = await readTimes(session)
  await kind.start(page)
  await inTime(playing.half)
  const middle = await readTimes(session)
  await inTime(playing.end)
  const renders = await kind.finish(page, playing.content)
  const after = await readTimes(session)
  const { frames, dropped, longestTaskMs } = await page.evaluate<FrameWatch>(
    '({ ...frameWatch, reset: undefined })',
  )
  return {
    seconds: playing.seconds,
    renders,
    taskMs: after.task - before.task,
    scriptMs: after.script - before.script,
    layoutMs: after.layout - before.layout,
    growth: (after.task - middle.task) / (middle.task - before.task),
    droppedFrames: dropped / (frames + dropped),
    longestTaskMs,
  }
}

/** The wait for a page that sends no request, or has crashed, is bounded. */
async function inTime<T>(reached: Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error(`The page did not read its stream within ${PATIENCE_MS / 1000} s.`)
  })
  try {
    return await Promise.race([reached, late])
  } finally {
    late.catch(() => {})
    done.abort()
  }
}
