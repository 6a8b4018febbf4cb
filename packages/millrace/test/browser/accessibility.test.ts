import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepPicture } from '../support/keep-picture.ts'
import { left, one, withStudio } from '../support/studio-tests.ts'

const looks = [
  { colorScheme: 'light', width: 1280, height: 900 },
  { colorScheme: 'dark', width: 1280, height: 900 },
  { colorScheme: 'light', width: 390, height: 844 },
  { colorScheme: 'dark', width: 390, height: 844 },
] as const

/** What axe finds serious or critical in the conversation, in each look of the page. */
async function findBarriers(page: Page, name: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const { colorScheme, width, height } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    const { violations } = await page.evaluate(() =>
      (window as unknown as { axe: typeof axe }).axe.run('.chat-pane'),
    )
    await keepPicture(page, `${name} ${colorScheme} ${width}`)
    for (const { impact, id, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue
      const [node] = nodes
      found.push(
        `${colorScheme} ${width}: ${id}: ${node?.html.slice(0, 160)} ${node?.failureSummary}`,
      )
    }
  }
  return found
}

describe.skipIf(left)('the conversation is for everyone', () => {
  let source = ''

  withStudio()

  beforeAll(async () => {
    source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  })

  beforeEach(async () => {
    await one.page.evaluate(source)
  })

  test('when it is empty', async () => {
    await one.page.getByText(/^All \d+ demos$/).click()
    expect(await findBarriers(one.page, 'empty')).toEqual([])
  })

  for (const [prompt, word] of [
    ['text', 'Ready'],
    ['thinking', 'Ready'],
    ['web-search', 'Ready'],
    ['tools', 'Ready'],
    ['images', 'Ready'],
    ['files', 'Ready'],
    ['error', 'Ready'],
    ['frontend', 'Waiting for you'],
    ['approval', 'Waiting for you'],
  ] as const) {
    test(`after /demo ${prompt}`, async () => {
      await one.ask(`/demo ${prompt}`)
      await one.page.locator('.run').waitFor()
      await one.waitFor(word)
      if (prompt === 'approval') {
        expect(await findBarriers(one.page, 'approval')).toEqual([])
        await one.page.getByRole('button', { name: 'Edit', exact: true }).click()
        await one.page.getByLabel(/^The arguments/).fill('{"path": 5}')
      }
      expect(await findBarriers(one.page, prompt === 'approval' ? 'editing' : prompt)).toEqual([])
    })
  }

  test('while sub-agents work, and one asks', async () => {
    await one.ask('/demo subagents')
    await one.page.getByText('May I quote from them?').waitFor()
    expect(await findBarriers(one.page, 'subagents')).toEqual([])
  })

  test('with keys alone: a demo is chosen, a question is reached and answered, the next one asked', async () => {
    const { page } = one
    const { keyboard } = page
    await keyboard.type('/demo frontend')
    await keyboard.press('Enter')
    const question = page.getByRole('region', { name: 'A question for you' })
    await question.waitFor()
    // The question has the cursor, and no answer is one key away by accident.
    await page.waitForFunction(() => document.activeElement?.classList.contains('question'))
    await keyboard.press('Enter')
    expect(await page.getByRole('button', { name: 'Yes' }).count()).toBe(1)
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByText('You answered: yes').waitFor()
    await one.waitFor('Ready')
    await page.getByLabel('Your message').focus()
    await keyboard.type('two')
    await keyboard.press('Shift+Enter')
    await keyboard.type('lines')
    expect(await page.getByLabel('Your message').inputValue()).toBe('two\nlines')
  })

  test('with keys alone: a call is reached, its arguments are changed, and it runs so', async () => {
    const { page } = one
    const { keyboard } = page
    /** Goes on until something has the cursor, as people do who see where it is. */
    const tabTo = async (name: string | RegExp, role: 'button' | 'textbox' = 'button') => {
      const wanted = page.getByRole(role, { name, exact: true })
      await wanted.waitFor()
      const isThere = () => wanted.evaluate((element) => element === document.activeElement)
      for (let press = 0; press < 40 && !(await isThere()); press++) await keyboard.press('Tab')
      expect(await isThere()).toBe(true)
    }
    await keyboard.type('/demo approval')
    await keyboard.press('Enter')
    await one.waitFor('Waiting for you')
    await tabTo('Edit')
    await keyboard.press('Enter')
    await tabTo(/^The arguments/, 'textbox')
    await keyboard.press('ControlOrMeta+a')
    await keyboard.insertText('{"path": "keys.md", "content": "By keys alone.\\n"}')
    await tabTo('Approve with changes')
    await keyboard.press('Enter')
    await page.getByText('Saved, as you changed it.').waitFor()
    await one.waitFor('Ready')
    await page.locator('.card', { hasText: 'edited by you' }).getByText('keys.md').first().waitFor()
    await tabTo('Your message', 'textbox')
    await keyboard.type('/demo thinking')
    await keyboard.press('Enter')
    await page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    await one.waitFor('Ready')
  })

  test('a question does not take the cursor from someone who writes', async () => {
    const { page } = one
    await one.ask('/demo frontend')
    // At once, so that the question does not come before.
    await page.keyboard.insertText('I was about to say')
    await one.waitFor('Waiting for you')
    await page.getByRole('button', { name: 'Yes' }).waitFor()
    await page.keyboard.type(' this')
    expect(await page.getByLabel('Your message').inputValue()).toBe('I was about to say this')
  })

  test('a source is told by its mark, to those who point and to those who press keys', async () => {
    const { page } = one
    await one.ask('/demo web-search')
    await page.locator('.run').waitFor()
    await one.waitFor('Ready')
    const mark = page.locator('.citation-mark > a').first()
    const tip = page.getByRole('tooltip')
    await mark.focus()
    await tip.getByText('A well-built overshot wheel').waitFor()
    await page.keyboard.press('Escape')
    await tip.waitFor({ state: 'detached' })
    await page.locator('.citation-mark > a').nth(1).hover()
    await tip.getByText('Pushed from below').waitFor()
  })

  test('what listeners are told changes with the state, not with each word', async () => {
    const { page } = one
    await page.evaluate(() => {
      const told: string[] = []
      Object.assign(window, { told })
      for (const region of document.querySelectorAll('[role=status], [aria-live]')) {
        new MutationObserver(() => told.push(region.textContent ?? '')).observe(region, {
          childList: true,
          characterData: true,
          subtree: true,
        })
      }
    })
    await one.ask('/demo long 300')
    await page.locator('.run').waitFor()
    await one.waitFor('Ready')
    const told = await page.evaluate(() => (window as unknown as { told: string[] }).told)
    expect(told).toContain('The answer is complete.')
    expect(told.length).toBeLessThan(6)
  })
})
