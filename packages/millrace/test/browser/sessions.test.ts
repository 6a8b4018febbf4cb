import { randomUUID } from 'node:crypto'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findFaults } from '../support/browser/axe.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

const pane = (): Locator => one.page.locator('.sessions-pane')
const row = (title: string): Locator => pane().locator('.session', { hasText: title })
const link = (title: string): Locator => row(title).getByRole('link')
const filter = (): Locator => one.page.getByLabel('Find in the list')

/** Sends a prompt like another client; resolves when the run has ended or paused, or at once if it is not awaited. */
async function ask(user_prompt: string, { isLeft = false } = {}): Promise<string> {
  const agent_uuid = randomUUID()
  const response = await fetch(`${studio.server.url}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt, agent_uuid }),
  })
  if (isLeft) await response.body?.cancel()
  else await response.text()
  return agent_uuid
}

/** Creates a session that only has an uploaded file. */
async function upload(): Promise<void> {
  const form = new FormData()
  form.append('files', new File(['rye'], 'rye.txt', { type: 'text/plain' }))
  const response = await fetch(`${studio.server.url}/agent/upload`, { method: 'POST', body: form })
  await response.text()
}

describe.skipIf(left)('the sessions of a server', () => {
  withStudio({ path: '/#sessions' })

  test('are empty at first, and the first one appears in the open list', async () => {
    await pane().getByText('No sessions yet').waitFor()
    await ask('/demo thinking')
    await row('/demo thinking').getByText('Ended').waitFor()
    await row('/demo thinking').getByText('1 run', { exact: true }).waitFor()
    await row('/demo thinking').getByText('demo', { exact: true }).waitFor()
    await row('/demo thinking').getByText('just now').waitFor()
  })

  test('show their live status: running, waiting, stopped, failed', async () => {
    const id = await ask('/demo long 100000', { isLeft: true })
    await row('/demo long').getByText('Running').waitFor()
    await ask('/demo approval')
    await row('/demo approval').getByText('Waiting for you').waitFor()
    // The most recently written session comes first.
    expect(await pane().locator('.session-title').first().innerText()).toMatch(/long|approval/)
    await fetch(`${studio.server.url}/agent/${id}/stop`, { method: 'POST' })
    await row('/demo long').getByText('Stopped').waitFor()
    await ask('/demo error')
    await row('/demo error').getByText('Failed').waitFor()
  })

  test('open next to the list, are marked there, and are restored by going back', async () => {
    await link('/demo thinking').click()
    await one.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    expect(await link('/demo thinking').getAttribute('aria-current')).toBe('true')
    expect(await pane().isVisible()).toBe(true)
    const first = new URL(one.page.url()).searchParams.get('session')
    await link('/demo approval').click()
    await one.waitFor('Waiting for you')
    await one.page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await one.page.goBack()
    await one.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    expect(new URL(one.page.url()).searchParams.get('session')).toBe(first)
    await one.page.reload()
    await one.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
  })

  test('are found and opened with the keyboard alone', async () => {
    await filter().focus()
    await one.page.keyboard.type('thinking')
    await row('/demo approval').waitFor({ state: 'detached' })
    await one.page.keyboard.press('ArrowDown')
    await one.page.keyboard.press('Enter')
    await one.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    await filter().fill('no such words')
    await pane().getByText('No matches.').waitFor()
    await filter().fill('')
    await row('/demo approval').waitFor()
    await filter().press('ArrowDown')
    await one.page.keyboard.press('End')
    expect(await one.page.evaluate(() => document.activeElement?.textContent)).toContain('thinking')
    await one.page.keyboard.press('Home')
    await one.page.keyboard.press('ArrowUp')
    expect(await filter().evaluate((field) => field === document.activeElement)).toBe(true)
  })

  test('have a link that can be copied, and opens the same elsewhere', async () => {
    await one.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await row('/demo thinking').hover()
    await row('/demo thinking').getByRole('button', { name: /^Copy/ }).click()
    await row('/demo thinking').getByText('Copied').waitFor()
    const address = await one.page.evaluate(() => navigator.clipboard.readText())
    const other = await studio.open(address)
    await other.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    await other.page.close()
  })

  test('are renamed, and deleted once that is confirmed', async () => {
    const dialog = one.page.getByRole('dialog')
    const manage = async (title: string): Promise<void> => {
      await row(title).hover()
      await row(title)
        .getByRole('button', { name: `Rename or delete ${title}` })
        .click()
    }
    await ask('/demo tables')
    await manage('/demo tables')
    await dialog.getByLabel('Title').fill('A table of grain')
    expect(await findFaults(one.page, 'dialog')).toEqual([])
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await row('A table of grain').waitFor()
    await link('A table of grain').click()
    await pane().locator('.session[data-current]', { hasText: 'A table of grain' }).waitFor()
    await one.page.locator('.chat-content').getByText('/demo tables').first().waitFor()
    await manage('A table of grain')
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await dialog.waitFor({ state: 'detached' })
    await manage('A table of grain')
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    expect(await findFaults(one.page, 'dialog')).toEqual([])
    await dialog.getByRole('button', { name: 'Delete it' }).click()
    // The shown conversation is deleted, and a new one begins.
    await one.page.locator('.chat-content').getByText('/demo tables').waitFor({ state: 'detached' })
    await one.page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await row('/demo thinking').waitFor()
    await row('A table of grain').waitFor({ state: 'detached' })
  })

  test('are shown on a narrow page in place of the chat, which appears when one is opened', async () => {
    await one.page.setViewportSize({ width: 375, height: 700 })
    expect(await one.page.getByLabel('Your message').isVisible()).toBe(false)
    await link('/demo thinking').click()
    await one.page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    expect(await one.page.getByLabel('Your message').isVisible()).toBe(true)
    expect(new URL(one.page.url()).hash).toBe('#chat')
    const overflow = await one.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
  })

  test('are not requested while the page is hidden', async () => {
    await one.page.clock.install()
    await one.page.reload()
    await row('/demo thinking').waitFor()
    let asked = 0
    one.page.on('request', (request) => {
      if (request.url().includes('/agent/sessions')) asked++
    })
    await one.page.getByRole('link', { name: 'Chat', exact: true }).click()
    await pane().waitFor({ state: 'hidden' })
    asked = 0
    await one.page.clock.fastForward(60_000)
    expect(asked).toBe(0)
    await one.page.getByRole('link', { name: 'Sessions', exact: true }).click()
    await expect.poll(() => asked).toBeGreaterThan(0)
  })

  test('are kept and marked as outdated while the server fails, without a layout shift', async () => {
    await row('/demo thinking').waitFor()
    await one.page.route('**/agent/sessions*', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'overloaded', message: 'Busy.' } } }),
    )
    await pane().getByText('Not up to date').waitFor()
    await row('/demo thinking').waitFor()
    await one.page.unroute('**/agent/sessions*')
    await pane().getByText('Not up to date').click()
    await pane().getByText('Not up to date').waitFor({ state: 'detached' })
    expect(studio.complaints.splice(0).every((line) => line.includes('503'))).toBe(true)
  })

  test('that may not be listed are reported, and a slow list shows that it is loading', async () => {
    let answer = (): void => {}
    const asked = new Promise<void>((resolve) => (answer = resolve))
    await one.page.route('**/agent/sessions*', async (route) => {
      await asked
      await route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'No.' } } })
    })
    await one.page.reload()
    await one.page.getByRole('status', { name: 'Reading the sessions' }).waitFor()
    answer()
    await pane().getByText('You are not allowed to see the list').waitFor()
    await one.page.unroute('**/agent/sessions*')
    await pane().getByRole('button', { name: 'Try again' }).click()
    await row('/demo thinking').waitFor()
    expect(studio.complaints.splice(0)).toHaveLength(1)
  })

  test('are loaded page by page on scrolling', async () => {
    for (let count = 0; count < 110; count++) await upload()
    await one.page.reload()
    const count = one.page.getByTestId('session-count')
    await count.filter({ hasText: '114' }).waitFor()
    expect(await pane().locator('.session').count()).toBe(50)
    const end = pane().getByRole('button', { name: /more$/ })
    await end.scrollIntoViewIfNeeded()
    await expect.poll(() => pane().locator('.session').count()).toBe(100)
    await end.scrollIntoViewIfNeeded()
    await expect.poll(() => pane().locator('.session').count()).toBe(114)
    expect(await end.count()).toBe(0)
    await row('/demo thinking').waitFor()
  })

  test('pass axe, in light and dark', async () => {
    await row('Only files').first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await one.page.emulateMedia({ colorScheme })
      expect(await findFaults(one.page, '.sessions-pane')).toEqual([])
    }
  })
})
