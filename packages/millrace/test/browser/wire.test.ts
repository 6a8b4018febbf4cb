import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findFaults } from '../support/browser/axe.ts'
import { left, one, withStudio } from '../support/browser/studio-tests.ts'

const chat = (): Locator => one.page.locator('.chat-content')
const wire = (): Locator => one.page.getByLabel('The wire: every frame of the stream')
const rows = (): Locator => wire().locator('.wire-row')
const chosen = (): Locator => wire().getByRole('option', { selected: true }).and(rows())
const field = (): Locator => wire().getByLabel('Show only frames that contain')

/** The element with the focus. */
const focused = (): Promise<string | null> =>
  one.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null)

/** Whether the list has scrolled to the selected frame. */
async function isChosenInView(): Promise<boolean> {
  const row = await chosen().boundingBox()
  const list = await one.page.locator('.wire-scroll').boundingBox()
  return row !== null && list !== null && row.y >= list.y - 1 && row.y < list.y + list.height
}

async function askAgents(): Promise<void> {
  await one.ask('/demo subagents')
  await one.page.getByRole('button', { name: 'Yes', exact: true }).click()
  await chat().getByText('Here are the results').waitFor()
  await one.waitFor('Ready')
}

describe.skipIf(left)('the wire', () => {
  withStudio({ toolDelayMs: 20 })

  test('finds frames by their text, selects their block in a collapsed lane, and returns by keys', async () => {
    await askAgents()
    await field().fill('CARTERS records')
    await wire().getByText('1 found').waitFor()
    const notice = wire().getByRole('search').getByRole('status')
    await notice.getByText('1 frame found for CARTERS records').waitFor()
    await rows().filter({ hasText: 'historian' }).click()
    const detail = wire().getByRole('region', { name: /^Frame/ })
    await detail.getByText(/^historian · \d+ bytes$/).waitFor()
    expect(await chat().getByText('Who built the mill').count()).toBe(1)
    await detail.getByRole('button', { name: 'Show in chat' }).press('Enter')
    await expect.poll(focused).toBe('Show this call in the wire')
    await chat().locator('.lane').getByText('Who built the mill').waitFor()
    // The first frame of the call does not match the search, so all frames are shown again.
    await one.page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Frames')
    expect(await field().inputValue()).toBe('')
    expect(await chosen().innerText()).toMatch(/historian\s+tool_call/)
    await expect.poll(isChosenInView).toBe(true)
    expect(await findFaults(one.page, '.wire-pane')).toEqual([])
    expect(await findFaults(one.page, '.chat-content')).toEqual([])
  })

  test('is next to the chat on a phone too: each links to the other, and frames have their times', async () => {
    await one.page.setViewportSize({ width: 390, height: 844 })
    await askAgents()
    await one.page.getByRole('button', { name: 'Show this text in the wire' }).last().press('Enter')
    await expect.poll(() => new URL(one.page.url()).hash).toBe('#wire')
    await chosen().waitFor()
    expect(await chosen().innerText()).toMatch(/text[\s\S]*Here[\s\S]*\+[\d.]+ m?s/)
    // The sender is announced, and available on request if there is no room.
    expect(await chosen().locator('.wire-agent').getAttribute('title')).toBe('demo')
    const overflow = await one.page.evaluate(
      () => document.documentElement.scrollWidth - innerWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
    await wire().getByRole('button', { name: 'Show in chat' }).click()
    await expect.poll(() => new URL(one.page.url()).hash).toBe('#chat')
    await expect.poll(focused).toBe('Show this text in the wire')
  })
})
