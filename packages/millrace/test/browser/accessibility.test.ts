import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { holdRequest } from '../support/browser/hold-request.ts'
import { keepPicture } from '../support/browser/keep-picture.ts'
import { left, one, withStudio } from '../support/browser/studio-tests.ts'

const looks = [
  { colorScheme: 'light', width: 1280, height: 900 },
  { colorScheme: 'dark', width: 1280, height: 900 },
  { colorScheme: 'light', width: 390, height: 844 },
  { colorScheme: 'dark', width: 390, height: 844 },
] as const
type Look = (typeof looks)[number]

/** Returns the serious and critical findings of axe, in the conversation or another part, in each theme of the page. */
async function findBarriers(
  page: Page,
  name: string,
  { part = '.chat-pane', at = looks }: { part?: string; at?: readonly Look[] } = {},
): Promise<readonly string[]> {
  const found: string[] = []
  for (const { colorScheme, width, height } of at) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    const { violations } = await page.evaluate(
      (within) =>
        (window as unknown as { axe: typeof axe }).axe.run(within, { resultTypes: ['violations'] }),
      part,
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

describe.skipIf(left)('the conversation is accessible', () => {
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
    expect(await findBarriers(one.page, 'empty', { part: 'body' })).toEqual([])
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

  test('in every view during a question of a sub-agent, and nothing moves in the past', async () => {
    const { page } = one
    const show = (view: string) => page.evaluate((hash) => void (location.hash = hash), view)
    await one.ask('/demo subagents')
    await page.getByText('May I quote from them?').waitFor()
    expect(await findBarriers(page, 'subagents', { part: 'body' })).toEqual([])
    await one.waitFor('Waiting')
    for (const [view, sign] of [
      ['wire', page.locator('.wire-row').first()],
      ['sessions', page.locator('.sessions-pane').getByText('/demo subagents').first()],
      ['lab', page.locator('.source-unfed').first()],
      ['timeline', page.getByRole('slider', { name: 'Moment' })],
    ] as const) {
      await show(view)
      await sign.waitFor()
      // The wire is beside the chat on wide pages.
      const at = view === 'wire' ? [looks[3]] : [looks[0], looks[3]]
      expect(await findBarriers(page, `view ${view}`, { part: 'body', at })).toEqual([])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const moment = page.getByRole('slider', { name: 'Moment' })
    await moment.fill(String(Number(await moment.getAttribute('max')) / 2))
    await page.locator('.tool-state[data-state=working]').first().waitFor()
    const findMoving = () =>
      (document.querySelector('.chat-pane')?.getAnimations({ subtree: true }) ?? []).flatMap(
        (each) => (each instanceof CSSAnimation ? each.animationName : []),
      )
    expect(await page.evaluate(findMoving)).toEqual([])
    // In the present again, a pending call can be stopped separately, and the others continue.
    await page.getByRole('button', { name: 'Return to live' }).click()
    await show('chat')
    await page.locator('.agent-card').getByRole('button', { name: 'Stop', exact: true }).click()
    await one.waitFor('Ready')
  })

  test('with pending calls of tools without a form in the page', async () => {
    const { page } = one
    const agent = '0b0e7c3a-1111-4222-8333-444455556666'
    const line = (type: string, delta: unknown, extras = {}) =>
      JSON.stringify({ type, agent, final: true, delta: JSON.stringify(delta), ...extras })
    const inputs = {
      pick: { message: 'Which stone?', options: ['Granite', '<b>Basalt</b>'] },
      name: { question: 'What shall it be called?' },
      lift: { metres: 3 },
    }
    const calls = Object.entries(inputs)
    const lines = [
      line('meta_init', { user_query: 'Ask me.', agent_uuid: agent, run_id: 'r1' }),
      ...calls.map(([id, input]) => line('tool_call', input, { id, name: `${id}_it` })),
      line(
        'awaiting_frontend_tools',
        calls.map(([id, input]) => ({ tool_use_id: id, name: `${id}_it`, input })),
      ),
      line('meta_end', { stop_reason: 'awaiting_frontend_tools' }),
    ]
    const frames = lines.map((data, index) => `id: ${index + 1}\ndata: ${data}\n\n`)
    const contentType = 'text/event-stream'
    await page.route('**/agent/*/times*', (route) => route.fulfill({ json: { times: [] } }))
    await page.route('**/agent/run*', (route) =>
      route.fulfill({ contentType, body: `${frames.join('')}data: [DONE]\n\n` }),
    )
    const sent: unknown[] = []
    await page.route('**/agent/tool_results*', (route) => {
      sent.push(...(route.request().postDataJSON() as { tool_results: unknown[] }).tool_results)
      return route.fulfill({ contentType, body: 'data: [DONE]\n\n' })
    })
    await one.ask('Ask me.')
    const questions = page.getByRole('region', { name: 'A question for you' })
    await questions.getByText('Which stone?').waitFor()
    await page.getByRole('region', { name: 'Answer for lift_it' }).waitFor()
    expect(await findBarriers(page, 'asked by unknown tools')).toEqual([])
    await questions.getByRole('button', { name: '<b>Basalt</b>' }).click()
    await page.getByText('Answered. The agent continues').waitFor()
    await questions.getByLabel('Your answer').fill('Old Mill')
    await page.getByRole('button', { name: 'Send answer' }).click()
    await page.getByText('Answered. The agent continues').nth(1).waitFor()
    // The page shows an answer at once, before its request is sent; the next request may contain it again.
    const answers = [
      { tool_use_id: 'pick', content: '<b>Basalt</b>', is_error: false },
      { tool_use_id: 'name', content: 'Old Mill', is_error: false },
    ]
    await expect.poll(() => sent).toEqual(expect.arrayContaining(answers))
  })

  test('with the keyboard alone: a demo is selected, a question is reached and answered, the next prompt sent', async () => {
    const { page } = one
    const { keyboard } = page
    await keyboard.type('/demo frontend')
    await keyboard.press('Enter')
    const question = page.getByRole('region', { name: 'A question for you' })
    await question.waitFor()
    // The question has the focus, and no single key gives an answer by accident.
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

  test('with the keyboard alone: a call is reached, its arguments are changed, and it runs with them', async () => {
    const { page } = one
    const { keyboard } = page
    /** Presses a key until an element has the focus, like a user of the keyboard. */
    const tabTo = async (name: string | RegExp, role: 'button' | 'textbox' = 'button') => {
      const wanted = page.getByRole(role, { name, exact: true })
      await wanted.waitFor()
      const isThere = () => wanted.evaluate((element) => element === document.activeElement)
      for (let press = 0; press < 40 && !(await isThere()); press++) await keyboard.press('Tab')
      expect(await isThere()).toBe(true)
    }
    // Only one demo begins so: Enter selects it, and then sends it.
    await keyboard.type('/demo appr')
    await page.getByRole('option', { name: '/demo approval' }).waitFor()
    await keyboard.press('Enter')
    await keyboard.press('Enter')
    await one.waitFor('Waiting for you')
    await tabTo('Edit')
    await keyboard.press('Enter')
    await tabTo(/^The arguments/, 'textbox')
    await keyboard.press('ControlOrMeta+a')
    await keyboard.insertText('{"path": "keys.md", "content": "By keys alone.\\n"}')
    await tabTo('Approve with changes')
    await keyboard.press('Enter')
    await page.getByText('Saved, with your changes.').waitFor()
    await one.waitFor('Ready')
    await page.locator('.card', { hasText: 'edited by you' }).getByText('keys.md').first().waitFor()
    await tabTo('Your message', 'textbox')
    await keyboard.type('/demo thinking')
    await keyboard.press('Enter')
    await page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    await one.waitFor('Ready')
  })

  test('a question does not take the focus from a user who types', async () => {
    const { page } = one
    const held = await holdRequest(page, 'run')
    await one.ask('/demo frontend')
    await page.keyboard.insertText('I was about to say')
    // The question cannot come before this text.
    held.release()
    await one.waitFor('Waiting for you')
    await page.getByRole('button', { name: 'Yes' }).waitFor()
    await page.keyboard.type(' this')
    expect(await page.getByLabel('Your message').inputValue()).toBe('I was about to say this')
  })

  test('a source is shown at its mark, for pointer and keyboard', async () => {
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

  test('announcements change with the state, not with each word', async () => {
    const { page } = one
    await page.evaluate(() => {
      const received: string[] = []
      Object.assign(window, { received })
      for (const region of document.querySelectorAll('[role=status], [aria-live]')) {
        new MutationObserver(() => received.push(region.textContent ?? '')).observe(region, {
          childList: true,
          characterData: true,
          subtree: true,
        })
      }
    })
    await one.ask('/demo long 300')
    await page.locator('.run').waitFor()
    await one.waitFor('Ready')
    const received = await page.evaluate(
      () => (window as unknown as { received: string[] }).received,
    )
    expect(received).toContain('The answer is complete.')
    expect(received.length).toBeLessThan(6)
  })
})
