import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** A way in which users scroll through a conversation. */
export interface ScrollMove {
  readonly name: string
  /** The planned duration. */
  readonly seconds: number
  /** The planned distance, or undefined for a jump. */
  readonly distancePx: number | undefined
  /** Moves to its start. */
  prepare(page: Page): Promise<unknown>
  run(page: Page): Promise<void>
}

const TURNS_PER_SECOND = 60
/** One notch of a wheel in most browsers. One notch for each frame is faster than most users read. */
const NOTCH_PX = 120
const DRAG_FRAMES = 120
/** Frames that are dropped meanwhile are due to the machine. */
const REST_SECONDS = 4

/** Up and down again with the wheel. */
function wheelMove(name: string, seconds: number, prepare: ScrollMove['prepare']): ScrollMove {
  return {
    name,
    seconds,
    distancePx: seconds * TURNS_PER_SECOND * NOTCH_PX,
    prepare,
    async run(page) {
      const { x, y } = await findMargin(page)
      await page.mouse.move(x, y)
      await turnWheel(page, seconds / 2, -NOTCH_PX)
      await turnWheel(page, seconds / 2, NOTCH_PX)
    },
  }
}

/** A turn is not awaited, because a user does not wait for the page either. */
async function turnWheel(page: Page, seconds: number, turnPx: number): Promise<void> {
  const turns: Promise<void>[] = []
  const start = performance.now()
  for (let turn = 0; turn < seconds * TURNS_PER_SECOND; turn++) {
    const early = start + (turn * 1000) / TURNS_PER_SECOND - performance.now()
    if (early > 0) await sleep(early)
    turns.push(page.mouse.wheel(0, turnPx))
  }
  await Promise.all(turns)
}

async function pressKeys(page: Page, keys: readonly string[], pauseMs: number): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key)
    await sleep(pauseMs)
  }
}

const findMargin = (page: Page): Promise<{ readonly x: number; readonly y: number }> =>
  page.evaluate('scrollWatch.margin()')

const dragTo = (page: Page, part: number, frames: number): Promise<void> =>
  page.evaluate(`scrollWatch.drag(${part}, ${frames})`)

/** The moves of one round, in order. */
export const scrollMoves: readonly ScrollMove[] = [
  {
    name: 'at rest',
    seconds: REST_SECONDS,
    distancePx: undefined,
    prepare: (page) => dragTo(page, 1, 1),
    run: () => sleep(REST_SECONDS * 1000),
  },
  wheelMove('wheel', 16, (page) => dragTo(page, 1, 1)),
  wheelMove('wheel in one long run', 8, (page) => dragTo(page, 0.5, 1)),
  {
    name: 'PageUp, Home, End',
    seconds: 5,
    distancePx: undefined,
    prepare: (page) => dragTo(page, 1, 1),
    async run(page) {
      const { x, y } = await findMargin(page)
      await page.mouse.click(x, y)
      await pressKeys(
        page,
        Array.from({ length: 10 }, () => 'PageUp'),
        300,
      )
      await pressKeys(page, ['Home', 'End'], 1_000)
    },
  },
  {
    name: 'drag through all',
    seconds: (2 * DRAG_FRAMES) / TURNS_PER_SECOND,
    distancePx: undefined,
    prepare: (page) => dragTo(page, 1, 1),
    async run(page) {
      await dragTo(page, 0, DRAG_FRAMES)
      await dragTo(page, 1, DRAG_FRAMES)
    },
  },
]
