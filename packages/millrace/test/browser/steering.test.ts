import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { left, one, withStudio } from '../support/studio-tests.ts'

describe.skipIf(left)('while sub-agents work', () => {
  // Long enough to be met at work on a busy machine.
  withStudio({ toolDelayMs: 2_000 })

  const lane = (name: string): Locator =>
    one.page.locator('.agent-card', {
      has: one.page.locator(':scope > header .tool-name', { hasText: name }),
    })

  /** Folds a lane and unfolds it again: what a person has opened stays so when the agent has done its work. */
  const keepOpen = async (name: string) => {
    const toggle = lane(name).last().locator(':scope > header > .agent-toggle')
    for (const isOpen of ['false', 'true']) {
      await toggle.click()
      await expect.poll(() => toggle.getAttribute('aria-expanded')).toBe(isOpen)
    }
  }

  test('one of them alone is told something, and it stands in its lane', async () => {
    const { page } = one
    await one.ask('/demo subagents')
    await lane('surveyor')
      .last()
      .getByText(/Reading \d of 5/)
      .waitFor()
    for (const name of ['engineer', 'surveyor']) await keepOpen(name)
    await page.getByLabel('Tell').selectOption({ label: 'surveyor' })
    await one.ask('Mind the gate.')
    await page.getByText('To surveyor').waitFor()
    await lane('surveyor')
      .last()
      .locator('.user-row[data-meanwhile]', { hasText: 'Mind the gate.' })
      .waitFor()
    const inRoot = page.locator('.chat-content > .run > .row > .user-row')
    expect(await inRoot.count()).toBe(1)
  })

  test('a question far above is one press away, and has the cursor then', async () => {
    const { page } = one
    await one.ask('/demo subagents')
    await page.getByText('May I quote from them?').waitFor()
    await page.evaluate(() => {
      const scroll = document.querySelector('.chat-scroll')
      if (scroll) scroll.scrollTop = 0
    })
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.waitForFunction(() => document.activeElement?.classList.contains('question'))
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText('Here is what came back').waitFor()
    await one.waitFor('Ready')
    expect(await page.getByLabel('Tell').count()).toBe(0)
  })

  test('one of them alone is stopped', async () => {
    const chat = one.page.locator('.chat-content')
    await one.ask('/demo subagents')
    const surveyor = lane('surveyor').last()
    await surveyor.getByText(/Reading \d of 5/).waitFor()
    await surveyor.getByRole('button', { name: 'Stop', exact: true }).click()
    await lane('engineer').locator(':scope > header .tool-state', { hasText: 'Done' }).waitFor()
    await chat.getByRole('button', { name: 'No', exact: true }).click()
    await chat.locator('.text', { hasText: 'I do not guess' }).waitFor()
    await one.waitFor('Ready')
    await lane('engineer')
      .getByRole('button', { name: /engineer/ })
      .click()
    await surveyor.locator('.tool-state', { hasText: 'Stopped' }).waitFor()
  })
})
