import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser/chromium.ts'
import { findBlanks } from '../support/browser/find-blanks.ts'
import {
  begin,
  call,
  end,
  openScriptedStudio,
  say,
  type ScriptedMessage,
  type ScriptedStudio,
} from '../support/browser/scripted-studio.ts'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'

/** Number of all blocks: each run has a thought, a call and a text, and one run in the middle has very many. */
const RUNS = 5_000
const CALLS_IN_MIDDLE = 35_000

function writeLog(): readonly ScriptedMessage[] {
  const messages: ScriptedMessage[] = []
  for (let run = 0; run < RUNS; run++) {
    messages.push(begin(`Question ${run}`))
    messages.push({ type: 'thinking', delta: `Thought ${run}`, final: false }, { type: 'thinking' })
    const calls = run === RUNS / 2 ? CALLS_IN_MIDDLE : 1
    for (let each = 0; each < calls; each++) {
      const id = `call_${run}_${each}`
      messages.push(...call(id, 'look', { at: id }, `Seen ${id}`))
    }
    messages.push(...say(`Answer ${run}\n\n${'and more of it. '.repeat(run % 40)}`), end())
  }
  return messages
}

let studio: ScriptedStudio
let page: Page

/**
 * Waits until the page has read all 110,000 frames. It took 0.9 s of processor time for 44,000 of them, and 15 s on a machine with 47 other
 * processes, so the limit is that of the hook or the test.
 */
const untilLoaded = (): Promise<void> =>
  page.getByText(`Answer ${RUNS - 1}`, { exact: true }).waitFor({ timeout: 0 })

const nodeCount = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length)

/** Scrolls to a part of the whole, and waits until its rows are drawn and do not move for six frames. */
async function scrollTo(part: number): Promise<void> {
  await page.evaluate(async (to) => {
    const scroll = document.querySelector('.chat-scroll')
    if (!scroll) return
    scroll.scrollTop = to * (scroll.scrollHeight - scroll.clientHeight)
    const places = (): string =>
      [...document.querySelectorAll<HTMLElement>('.row')]
        .map((row) => `${row.dataset['row']} ${row.getBoundingClientRect().top}`)
        .join()
    let before = ''
    for (let rested = 0; rested < 6; rested++) {
      await new Promise(requestAnimationFrame)
      const now = places()
      if (now !== before) rested = 0
      before = now
    }
  }, part)
}

/** The visible rows, by their texts. */
const inView = (): Promise<string[]> =>
  page.evaluate(() => {
    const view = document.querySelector('.chat-scroll')?.getBoundingClientRect()
    return [...document.querySelectorAll<HTMLElement>('.row')]
      .filter((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return view !== undefined && bottom > view.top && top < view.bottom
      })
      .map((row) => row.innerText)
  })

/** The position of a row, from the top of the page. */
const placeOf = (key: string): Promise<number | undefined> =>
  page.evaluate(
    (row) => document.querySelector(`[data-row="${row}"]`)?.getBoundingClientRect().top,
    key,
  )

/** Turns the wheel, and waits each time until a row has moved accordingly, regardless of rows that are drawn above it. */
async function wheelUp(from: number): Promise<void> {
  await scrollTo(from)
  const key = await page.evaluate(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('.row')]
    return rows.find((row) => row.getBoundingClientRect().top > 200)?.dataset['row'] ?? ''
  })
  const before = (await placeOf(key)) ?? 0
  await page.mouse.move(400, 300)
  for (let step = 1; step <= 4; step++) {
    await page.mouse.wheel(0, -100)
    await page.waitForFunction(
      ([row, place]) => {
        const top = document.querySelector(`[data-row="${row}"]`)?.getBoundingClientRect().top
        return top !== undefined && Math.abs(top - place) <= 2
      },
      [key, before + step * 100] as const,
    )
  }
}

describe.skipIf(left)('a conversation of 50,000 blocks', () => {
  beforeAll(async () => {
    studio = await openScriptedStudio()
    page = await studio.open(writeLog())
    await untilLoaded()
  }, 120_000)

  afterAll(async () => {
    expect(studio?.complaints).toEqual([])
    await studio?.close()
  })

  test('opens at its end, with few elements in the page', async () => {
    expect((await inView()).join('\n')).toContain(`Answer ${RUNS - 1}`)
    expect(await nodeCount()).toBeLessThan(3_000)
    expect(await page.getByRole('button', { name: 'Newest' }).count()).toBe(0)
  })

  test('shows the right blocks at the top, in the middle and at the end', async () => {
    await scrollTo(0)
    expect((await inView()).join('\n')).toContain('Question 0')
    expect(await nodeCount()).toBeLessThan(3_000)
    await scrollTo(0.5)
    const middle = await inView()
    // The run with most of the blocks fills most of the height.
    expect(middle.join('\n')).toMatch(new RegExp(`Seen call_${RUNS / 2}_\\d+`))
    const numbers = middle
      .flatMap((text) => /Seen call_\d+_(\d+)/.exec(text)?.[1] ?? [])
      .map(Number)
    expect(numbers.length).toBeGreaterThan(2)
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
    expect(await nodeCount()).toBeLessThan(3_000)
    await page.getByRole('button', { name: 'Newest' }).click()
    await page.getByText(`Answer ${RUNS - 1}`, { exact: true }).waitFor()
    expect((await inView()).join('\n')).toContain(`Answer ${RUNS - 1}`)
  })

  test('keeps the view in place while rows above it change their height', () => wheelUp(0.97))

  test('has rows in the entire view in the animation frame of a jump', async () => {
    const blanks = await findBlanks(page, [0.9, 0.1, 0.42, 0.43, 0.999, 0, 0.7, 0.3, 1])
    expect(blanks).toEqual([])
  })

  test.each([
    ['visibility', 'hidden'],
    ['display', 'none'],
  ])(
    'is in the same place, and has drawn nothing more, after a while with %s: %s',
    async (property, value) => {
      await scrollTo(0.6)
      const before = await inView()
      const rowCount = await page.locator('.row').count()
      const style = (to: string): Promise<void> =>
        page.evaluate(
          async ([name, set]) => {
            document.querySelector<HTMLElement>('.chat-pane')?.style.setProperty(name, set)
            const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
            for (let count = 0; count < 6; count++) await frame()
          },
          [property, to] as const,
        )
      await style(value)
      expect(await page.locator('.row').count()).toBe(rowCount)
      await style('')
      await expect.poll(inView).toEqual(before)
    },
  )

  test('keeps collapsed rows, though they left the page meanwhile', async () => {
    await scrollTo(0)
    await page.locator('.card summary').first().click()
    await page.locator('.card:not([open])').first().waitFor()
    await scrollTo(1)
    // The row with the focus stays in the page, so that keys continue from there.
    expect(await page.locator('.card:not([open])').count()).toBe(1)
    await page.getByLabel('Your message').focus()
    await page.locator('.card:not([open])').waitFor({ state: 'detached' })
    await scrollTo(0)
    await page.locator('.card:not([open])').first().waitFor()
  })

  test('is searched completely, though the browser has few of its rows', async () => {
    const { keyboard } = page
    await keyboard.press('ControlOrMeta+f')
    const field = page.getByLabel('Find in this conversation')
    await field.fill('answer 1234')
    await keyboard.press('Enter')
    await page.getByText('1 of 1', { exact: true }).waitFor()
    await page.getByText('Answer 1234', { exact: true }).waitFor()
    expect((await inView()).join('\n')).toContain('Answer 1234')
    const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String))
    await expect.poll(marked).toEqual(['Answer 1234'])
    await field.fill('SEEN CALL_2500_3333')
    await keyboard.press('Enter')
    await page.getByText('1 of 11', { exact: true }).waitFor()
    await keyboard.press('Shift+Enter')
    await page.getByText('11 of 11', { exact: true }).waitFor()
    await page.getByText('Seen call_2500_33339', { exact: true }).waitFor()
    await field.fill('nowhere to be found')
    await keyboard.press('Enter')
    await page.getByText('Not found').waitFor()
    await keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await marked()).toEqual([])
  })

  test('keeps the view in place also in a browser without scroll anchoring', async () => {
    await page.addInitScript(() => {
      const supports = CSS.supports.bind(CSS)
      CSS.supports = (condition: string, value?: string) => {
        if (condition === 'overflow-anchor') return false
        return value === undefined ? supports(condition) : supports(condition, value)
      }
    })
    await page.reload()
    await untilLoaded()
    await page.evaluate(() => {
      const scroll = document.querySelector<HTMLElement>('.chat-scroll')
      scroll?.style.setProperty('overflow-anchor', 'none')
    })
    await wheelUp(0.83)
    expect(await findBlanks(page, [0.2, 0.6, 0.61, 0.95])).toEqual([])
    await wheelUp(0.31)
  })
})
