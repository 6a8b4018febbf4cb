import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import type { Conversation } from './conversation.ts'
import { readTimes } from './read-times.ts'
import type { ScrollMove } from './scroll-moves.ts'
import type { ScrollStage, Shower } from './scroll-stage.ts'

/** The cost of one move. Times are CPU time of the main thread; frames and distances are by the clock. */
export interface MoveFigures {
  readonly move: ScrollMove
  readonly taskMs: number
  readonly scriptMs: number
  readonly layoutMs: number
  /** The share of screen frames that the page did not draw. */
  readonly droppedFrames: number
  /** 0 if none took 50 ms. */
  readonly longestTaskMs: number
  /** The share of frames in which the middle of the view, or any part of it, was empty instead of rows. */
  readonly blankMiddle: number
  readonly blankAnywhere: number
  readonly longestBlankMs: number
  readonly mostElements: number
  readonly travelledPx: number
}

/** The cost of opening, holding and scrolling a conversation. */
export interface ScrollFigures {
  /** From the request of the page until the end of the conversation is in view. */
  readonly openMs: number
  /** The live objects at the end. */
  readonly heapBytes: number
  readonly moves: readonly MoveFigures[]
}

type Counts = Readonly<
  Record<
    | 'frames'
    | 'dropped'
    | 'longestTaskMs'
    | 'blankMiddle'
    | 'blankAnywhere'
    | 'longestBlankMs'
    | 'mostElements'
    | 'travelledPx',
    number
  >
>

const watches = ['frame-watch.mjs', 'scroll-watch.mjs'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
)
const PATIENCE_MS = 120_000
const REST_LOOK_MS = 500
/** A page that uses less of the main thread between two checks is at rest; the checks themselves use a part of it. */
const REST_TASK_MS = 25

/** Opens a conversation, scrolls through it, and returns the cost. */
export async function measureScroll(
  stage: ScrollStage,
  shower: Shower,
  conversation: Conversation,
  moves: readonly ScrollMove[],
): Promise<ScrollFigures> {
  const context = await stage.browser.newContext()
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    for (const path of watches) await page.addInitScript({ path })
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(stage.show(shower, conversation))
    const words = JSON.stringify(conversation.lastWords)
    const openMs = await page.evaluate<number>(`scrollWatch.shown(${words})`)
    const figures: MoveFigures[] = []
    for (const move of moves) figures.push(await measureMove(page, session, move))
    return { openMs, heapBytes: await readHeap(session), moves: figures }
  } finally {
    await context.close()
  }
}

async function measureMove(
  page: Page,
  session: CDPSession,
  move: ScrollMove,
): Promise<MoveFigures> {
  await restPage(session)
  await move.prepare(page)
  await restPage(session)
  await page.evaluate('frameWatch.reset(), scrollWatch.start()')
  const before = await readTimes(session)
  await move.run(page)
  const after = await readTimes(session)
  const { frames, dropped, longestTaskMs, ...counts } = await page.evaluate<Counts>(
    '({ ...scrollWatch.stop(), ...frameWatch, reset: undefined })',
  )
  return {
    move,
    taskMs: after.task - before.task,
    scriptMs: after.script - before.script,
    layoutMs: after.layout - before.layout,
    droppedFrames: dropped / (frames + dropped),
    longestTaskMs,
    blankMiddle: counts.blankMiddle / frames,
    blankAnywhere: counts.blankAnywhere / frames,
    longestBlankMs: counts.longestBlankMs,
    mostElements: counts.mostElements,
    travelledPx: counts.travelledPx,
  }
}

/** Waits until the page has nothing left to do. */
async function restPage(session: CDPSession): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (let { task } = await readTimes(session); performance.now() < giveUpAt;) {
    await sleep(REST_LOOK_MS)
    const next = await readTimes(session)
    if (next.task - task < REST_TASK_MS) return
    task = next.task
  }
  throw new Error(`The page did not come to rest within ${PATIENCE_MS / 1000} s.`)
}

async function readHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}
