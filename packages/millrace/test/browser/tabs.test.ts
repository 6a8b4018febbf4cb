import { isDeepStrictEqual } from 'node:util'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { StudioPage } from '../support/browser/studio-browser.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

const chat = ({ page }: StudioPage): Locator => page.locator('.chat-content')
const button = ({ page }: StudioPage, name: string): Locator =>
  page.getByRole('button', { name, exact: true })
const totals = ({ page }: StudioPage): Locator => page.getByTestId('wire-totals')

/** The open streams of the server. */
async function countReaders(): Promise<number> {
  const health = (await (await fetch(`${studio.server.url}/health`)).json()) as { readers: number }
  return health.readers
}

/** The number of frames of a page. */
async function countFrames(tab: StudioPage): Promise<number> {
  return Number((await totals(tab).innerText()).replace(/ frames.*/, '').replaceAll(',', ''))
}

async function untilFrames(tab: StudioPage, least: number): Promise<void> {
  await expect.poll(() => countFrames(tab), { timeout: 20_000 }).toBeGreaterThan(least)
}

/** The visible rows of the wire, without the times at which a tab received them. */
const rows = ({ page }: StudioPage): Promise<string[]> =>
  page
    .locator('.wire-row')
    .evaluateAll((list) =>
      list.map((row) =>
        ['.wire-id', '.wire-type', '.wire-preview', '.wire-bytes']
          .map((part) => row.querySelector(part)?.textContent)
          .join(' '),
      ),
    )

/** Both show the same chat, and have the same frames, once both have loaded. */
async function expectSame(tab: StudioPage, other: StudioPage): Promise<void> {
  const look = (shown: StudioPage): Promise<string[]> =>
    Promise.all([totals(shown).innerText(), chat(shown).innerText()])
  const isSame = ([first, second]: string[][]): boolean =>
    first?.[0] !== '0 frames · 0 bytes' && isDeepStrictEqual(first, second)
  await expect
    .poll(() => Promise.all([look(tab), look(other)]), { timeout: 20_000 })
    .toSatisfy(isSame)
}

describe.skipIf(left)('tabs of one conversation', () => {
  withStudio()

  test('have one connection, each all frames, and another takes over when that tab is closed', async () => {
    await one.ask('/demo long 100000')
    await untilFrames(one, 20)
    const two = await one.openTab()
    const three = await one.openTab()
    await untilFrames(two, (await countFrames(one)) + 50)
    await untilFrames(three, await countFrames(two))
    await expect.poll(countReaders).toBe(1)
    await one.page.close()
    await untilFrames(two, (await countFrames(two)) + 50)
    await untilFrames(three, await countFrames(two))
    await expect.poll(countReaders).toBe(1)
    await button(three, 'Stop').click()
    for (const tab of [two, three]) {
      await chat(tab).getByText('Stopped · emulator', { exact: true }).waitFor()
      await tab.waitFor('Ready')
    }
    await expectSame(two, three)
    await expect.poll(() => rows(two)).toEqual(await rows(three))
    // A tab that is opened later reads the same from the server, frame by frame.
    const four = await two.openTab()
    await totals(four)
      .filter({ hasText: await totals(two).innerText() })
      .waitFor()
  })

  test('show prompts and answers of any of them, without being activated', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    const two = await one.openTab()
    await button(two, 'No').click()
    for (const tab of [one, two]) {
      await tab.page.locator('.question', { hasText: 'You answered: no' }).waitFor()
      await chat(tab).getByText('stays a draft').waitFor()
      await tab.waitFor('Ready')
    }
    await two.ask('/demo thinking')
    for (const tab of [one, two]) {
      await chat(tab).getByText('204.', { exact: true }).waitFor()
      await tab.waitFor('Ready')
    }
    await expectSame(one, two)
  })

  test('that answer the same question at once show the one answer that counted', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    const two = await one.openTab()
    // Both buttons are found before either is pressed, because the answer of one tab removes the buttons of the other.
    const buttons = [
      await button(one, 'Yes').elementHandle(),
      await button(two, 'No').elementHandle(),
    ]
    await Promise.all(
      buttons.map((each) => each?.evaluate((element) => (element as HTMLElement).click())),
    )
    for (const tab of [one, two]) {
      await tab.page.locator('.question', { hasText: / (?:answered|elsewhere): / }).waitFor()
      await tab.waitFor('Ready')
      await chat(tab).locator('.run-footer').waitFor()
    }
    // Both show the first answer; the slower one shows a conflict, unless the buttons were removed by then.
    const received = [one, two].map(({ page }) => page.locator('.question').innerText())
    const [first, second] = (await Promise.all(received)).map(
      (words) => / (?:answered|elsewhere): (yes|no)/.exec(words)?.[1],
    )
    expect(first).toBe(second)
    for (const tab of [one, two]) await tab.page.reload()
    await expectSame(one, two)
    // The browser may log that the server refused the second.
    studio.complaints.length = 0
  })
})
