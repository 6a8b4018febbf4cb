import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { left, one, withStudio } from '../support/browser/studio-tests.ts'

const chat = (): Locator => one.page.locator('.chat-content')

const lane = (name: string): Locator =>
  one.page.locator('.agent-card', {
    has: one.page.locator(':scope > header .tool-name', { hasText: name }),
  })

/** Collapses a lane and expands it again: an expanded lane stays expanded when its agent has ended. */
const keepOpen = async (name: string) => {
  const toggle = lane(name).last().locator(':scope > header > .agent-toggle')
  for (const isOpen of ['false', 'true']) {
    await toggle.click()
    await expect.poll(() => toggle.getAttribute('aria-expanded')).toBe(isOpen)
  }
}

describe.skipIf(left)('during sub-agents', () => {
  // The readings continue for eight seconds after the first one: long enough for a busy machine.
  withStudio({ toolDelayMs: 3_000 })

  test('one of them can get a message, which is shown in its lane', async () => {
    const { page } = one
    await one.ask('/demo subagents')
    await lane('surveyor')
      .last()
      .getByText(/Reading \d of 5/)
      .waitFor()
    for (const name of ['engineer', 'surveyor']) await keepOpen(name)
    await page.getByLabel('Send to').selectOption({ label: 'surveyor' })
    await one.ask('Mind the gate.')
    await page.getByText('To surveyor').waitFor()
    await lane('surveyor')
      .last()
      .locator('.user-row[data-meanwhile]', { hasText: 'Mind the gate.' })
      .waitFor()
    const inRoot = page.locator('.chat-content > .run > .row > .user-row')
    expect(await inRoot.count()).toBe(1)
  })

  test('one of them can be stopped separately', async () => {
    await one.ask('/demo subagents')
    const surveyor = lane('surveyor').last()
    await surveyor.getByText(/Reading \d of 5/).waitFor()
    await surveyor.getByRole('button', { name: 'Stop', exact: true }).click()
    await lane('engineer').locator(':scope > header .tool-state', { hasText: 'Done' }).waitFor()
    await chat().getByRole('button', { name: 'No', exact: true }).click()
    await chat().locator('.text', { hasText: 'I do not guess' }).waitFor()
    await one.waitFor('Ready')
    await lane('engineer')
      .getByRole('button', { name: /engineer/ })
      .click()
    await surveyor.locator('.tool-state', { hasText: 'Stopped' }).waitFor()
  })
})

describe.skipIf(left)('sub-agents', () => {
  // Long enough to be visible as running.
  withStudio({ toolDelayMs: 1_500 })

  test('work in lanes inside their calls, nested, and one asks while others continue', async () => {
    await one.ask('/demo subagents')
    await lane('engineer')
      .locator('.agent-card')
      .getByText(/Reading \d of 5/)
      .waitFor()
    await lane('historian').getByText('May I quote from them?').waitFor()
    await one.page.getByRole('button', { name: 'Yes', exact: true }).click()
    await chat().getByText('Here are the results').waitFor()
    await one.waitFor('Ready')
    // A completed part is collapsed, and can be opened again.
    await chat().getByText('Power is water times fall.').waitFor({ state: 'detached' })
    await lane('engineer')
      .getByRole('button', { name: /engineer/ })
      .click()
    await chat().getByText('Power is water times fall.').waitFor()
    await lane('surveyor')
      .last()
      .getByRole('button', { name: /surveyor/ })
      .click()
    await chat().locator('.text', { hasText: 'The fall is 4.1 m.' }).waitFor()
    await chat()
      .getByText(/Done · 2 steps · .* tokens in/)
      .last()
      .waitFor()
    await one.page.reload()
    await chat().getByText('Here are the results').waitFor()
    await expect.poll(() => chat().locator('.agent-card').count()).toBe(2)
  })

  test('a question out of view is reached by one key, and gets the focus', async () => {
    const { page } = one
    // So low that the question is out of view from the top, with any lanes collapsed.
    await page.setViewportSize({ width: 1_280, height: 480 })
    await one.ask('/demo subagents')
    await page.getByText('May I quote from them?').waitFor()
    await page.evaluate(() => {
      const scroll = document.querySelector('.chat-scroll')
      if (scroll) scroll.scrollTop = 0
    })
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.waitForFunction(() => document.activeElement?.classList.contains('question'))
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText('Here are the results').waitFor()
    await one.waitFor('Ready')
    expect(await page.getByLabel('Send to').count()).toBe(0)
  })
})
