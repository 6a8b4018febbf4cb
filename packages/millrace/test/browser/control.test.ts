import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { holdRequest } from '../support/browser/hold-request.ts'
import type { StudioPage } from '../support/browser/studio-browser.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

const chat = ({ page }: StudioPage): Locator => page.locator('.chat-content')
const button = ({ page }: StudioPage, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

const written = (path: string): string => join(studio.server.workspace ?? '', path)

describe.skipIf(left)('control of a run', () => {
  withStudio()

  describe('a call with a pending approval', () => {
    const path = 'reports/october.md'

    async function askForApproval(): Promise<void> {
      await one.ask('/demo approval')
      await one.waitFor('Waiting for you')
      await button(one, 'Approve').waitFor()
    }

    test('shows its effect, survives a reload, and runs after the approval', async () => {
      await askForApproval()
      await one.page.reload()
      const card = chat(one).locator('.card', { hasText: 'write_file' })
      await card.getByText('- mean level: 94 cm').waitFor()
      expect(existsSync(written(path))).toBe(false)
      await button(one, 'Approve').press('Enter')
      // Its buttons are removed; the focus is at the place to continue.
      await one.page.locator('.composer textarea:focus').waitFor()
      await chat(one).getByText('exactly as you saw it').waitFor()
      await one.waitFor('Ready')
      expect(await readFile(written(path), 'utf8')).toContain('mean level: 94 cm')
      expect(await chat(one).locator('.tool-state[data-state=done]').count()).toBe(2)
      expect(await button(one, 'Approve').count()).toBe(0)
    })

    test('runs with arguments that a user has changed, once they are JSON', async () => {
      await askForApproval()
      await button(one, 'Edit').click()
      const field = one.page.getByLabel(/^The arguments/)
      await field.press('ControlOrMeta+End')
      await field.press('Backspace')
      await chat(one).getByText('This is not JSON yet').waitFor()
      expect(await button(one, 'Approve with changes').isDisabled()).toBe(true)
      await field.fill('["no object"]')
      await chat(one).getByText('Arguments are one object').waitFor()
      await field.fill(JSON.stringify({ path: 'mine.md', content: 'My own words.\n' }))
      await button(one, 'Approve with changes').click()
      await chat(one).getByText('Saved, with your changes.').waitFor()
      expect(await readFile(written('mine.md'), 'utf8')).toBe('My own words.\n')
      await one.page.reload()
      const card = chat(one).locator('.card', { hasText: 'write_file' })
      await card.getByText('edited by you').waitFor()
      expect(await card.getByLabel('File mine.md').innerText()).toContain('My own words.')
      expect(await card.getByText('mean level').count()).toBe(0)
      await card.getByText('1 line, 14 bytes').waitFor()
      expect(await chat(one).getByText('edited by you').count()).toBe(1)
    })

    test('does not run after a denial, and the model gets the reason', async () => {
      await askForApproval()
      await button(one, 'Deny').click()
      await button(one, 'Cancel').click()
      await button(one, 'Deny').click()
      await one.page.getByLabel(/^Reason/).fill('The mean is wrong.')
      await button(one, 'Deny').click()
      await chat(one).locator('blockquote', { hasText: 'The mean is wrong.' }).waitFor()
      await chat(one).locator('.tool-state', { hasText: 'Denied' }).waitFor()
      await one.waitFor('Ready')
    })

    test('is decided once, though two pages show it', async () => {
      await askForApproval()
      const other = await studio.open(one.page.url())
      await button(other, 'Deny').click()
      await button(other, 'Deny').click()
      await chat(other).getByText('You denied it, so nothing was written.').waitFor()
      await button(one, 'Approve').click()
      await chat(one).getByText('You denied it, so nothing was written.').waitFor()
      await one.waitFor('Ready')
      expect(await button(one, 'Approve').count()).toBe(0)
      expect(await chat(one).locator('.user-row').count()).toBe(1)
      // The slower page shows a conflict.
      const late = 'Decided elsewhere: denied. Your approval came too late.'
      await one.page.getByRole('status').filter({ hasText: late }).waitFor()
      expect(await chat(other).getByText('too late').count()).toBe(0)
      await other.page.context().close()
      // The browser logs the refusal of the server.
      expect(studio.complaints.splice(0)).toHaveLength(1)
    })

    test('runs when an approval elsewhere precedes a denial, and the page that denied shows it', async () => {
      await askForApproval()
      const other = await studio.open(one.page.url())
      const hold = await holdRequest(other.page, 'tool_approvals')
      await button(other, 'Deny').click()
      await button(other, 'Deny').click()
      await hold.arrived
      await button(one, 'Approve').click()
      await chat(one).getByText('exactly as you saw it').waitFor()
      hold.release()
      const late = 'Decided elsewhere: approved. Your denial came too late.'
      await other.page.getByRole('status').filter({ hasText: late }).waitFor()
      await other.waitFor('Ready')
      expect(await chat(one).getByText('too late').count()).toBe(0)
      await other.page.context().close()
      // The browser logs the refusal of the server.
      expect(studio.complaints.splice(0)).toHaveLength(1)
    })

    test('is not lost by a click on a demo, and can be stopped', async () => {
      await askForApproval()
      expect(await one.page.getByLabel('Demos', { exact: true }).count()).toBe(0)
      await button(one, 'Stop').click()
      await chat(one).locator('.tool-state', { hasText: 'Not answered' }).waitFor()
      await chat(one)
        .getByText(/^Stopped · 1 step · [\d,]+ tokens in/)
        .waitFor()
      await one.waitFor('Ready')
      expect(await button(one, 'Stop').count()).toBe(0)
      await one.page.getByLabel('Demos', { exact: true }).waitFor()
      // The next question does not change the notice either.
      await one.ask('/demo thinking')
      await chat(one).getByText('204.', { exact: true }).waitFor()
      await chat(one)
        .getByText(/^Stopped · 1 step · [\d,]+ tokens in/)
        .waitFor()
    })

    test('is abandoned by a new prompt, and is marked as such', async () => {
      await askForApproval()
      await one.ask('/demo thinking')
      await chat(one).getByText('204.', { exact: true }).waitFor()
      await one.waitFor('Ready')
      expect(await button(one, 'Approve').count()).toBe(0)
      await chat(one).locator('.tool-state', { hasText: 'Not answered' }).waitFor()
    })
  })

  test('a question that was answered elsewhere shows a conflict on the slower page, permanently', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    const other = await studio.open(one.page.url())
    const hold = await holdRequest(other.page, 'tool_results')
    await button(other, 'No').click()
    await chat(other).getByText('Sending your answer: no').waitFor()
    await hold.arrived
    await button(one, 'Yes').click()
    await chat(one).getByText('You answered: yes').waitFor()
    await one.waitFor('Ready')
    hold.release()
    const late = chat(other)
      .getByRole('status')
      .filter({ hasText: 'Answered elsewhere: yes. Your “no” came too late.' })
    await late.waitFor()
    await other.waitFor('Ready')
    expect(await chat(other).getByText('You answered').count()).toBe(0)
    // Its row leaves the view and returns.
    await other.ask('/demo long 3000')
    await other.waitFor('Ready')
    await other.page.locator('.chat-scroll').evaluate((element) => element.scrollTo(0, 0))
    await late.waitFor()
    expect(await chat(one).getByText('too late').count()).toBe(0)
    await other.page.context().close()
    // The browser logs the refusal of the server.
    expect(studio.complaints.splice(0)).toHaveLength(1)
  })

  test('a run is stopped at its position, and the next prompt is answered', async () => {
    await one.ask('/demo long 100000')
    await chat(one).locator('p', { hasText: ' 40 ' }).first().waitFor()
    await button(one, 'Stop').click()
    await chat(one).getByText('Stopped · emulator', { exact: true }).waitFor()
    await one.waitFor('Ready')
    await one.ask('/demo thinking')
    await chat(one).getByText('204.', { exact: true }).waitFor()
  })

  test('a message to an active run is placed where it arrived, and the run continues after it', async () => {
    await one.ask('/demo long 100000')
    await chat(one).locator('p', { hasText: ' 40 ' }).first().waitFor()
    await one.ask('/demo thinking')
    await chat(one).locator('.user-row[data-meanwhile]', { hasText: '/demo thinking' }).waitFor()
    await chat(one).getByText('204.', { exact: true }).waitFor()
    await one.waitFor('Ready')
    expect(await chat(one).locator('.user-row').count()).toBe(2)
    expect(await chat(one).locator('.run').count()).toBe(1)
    await one.page.reload()
    await chat(one).getByText('204.', { exact: true }).waitFor()
    expect(await chat(one).locator('.user-row[data-meanwhile]').count()).toBe(1)
  })

  test('a file that the provider generated can be saved, and is in the workspace too', async () => {
    await one.ask('/demo files')
    const saving = one.page.waitForEvent('download')
    await one.page.getByLabel('Files').getByRole('link', { name: 'levels.csv' }).click()
    const download = await saving
    expect(download.suggestedFilename()).toBe('levels.csv')
    expect(await readFile(await download.path(), 'utf8')).toContain('15,113')
    expect(await readFile(written('files/levels.csv'), 'utf8')).toContain('15,113')
    await one.waitFor('Ready')
    await one.ask('/demo refusal')
    await chat(one)
      .getByText('The provider stopped this answer; discard the partial answer.')
      .waitFor()
    const runs = chat(one).locator('.row[data-kind=end]')
    expect(await runs.first().getByLabel('Files').count()).toBe(1)
    expect(await one.page.getByLabel('Files', { exact: true }).count()).toBe(1)
  })
})
