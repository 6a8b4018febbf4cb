import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { keepPicture } from '../support/browser/keep-picture.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

/** Ten seconds: still running when the page is loaded again, also on a busy machine. */
const longCount = 10_000

/** The numbers of the long demo that the page shows. */
async function countedNumbers(): Promise<number[]> {
  const paragraphs = await one.page.locator('.run .markdown p').allTextContents()
  return (paragraphs.join(' ').match(/\d+/g) ?? []).map(Number)
}

/** The ends of demos that no other test examines. */
const endings = {
  citations: 'it is shown after it.',
  'parallel-tools': 'The agent ran five of the calls at a time.',
  'write-file': 'each delta was read once',
  'code-execution': 'the agent only forwarded their events.',
  mcp: 'the calendar returned an error.',
  'pause-turn': 'was the first content to arrive.',
  overloaded: 'The frames still show both.',
}

/** Marks of citations that begin a line, or are separated from the text before them. */
function findStrayMarks(page: Page): Promise<readonly (string | null)[]> {
  return page.locator('.citation-mark > *').evaluateAll((marks) =>
    marks
      .filter((mark) => {
        const before = document.createRange()
        const previous = mark.parentElement?.previousSibling ?? mark
        before.selectNodeContents(previous)
        const end = [...before.getClientRects()].at(-1)
        const { left: start, top } = mark.getBoundingClientRect()
        if (!end || end.bottom < top) return true
        return Math.abs(start - end.right) > 3
      })
      .map(({ textContent }) => textContent),
  )
}

describe.skipIf(left)('Studio in Chromium', () => {
  withStudio({ toolDelayMs: 50 })

  test('a prompt is sent with Enter, its answer streams in, and every frame is in the wire pane', async () => {
    await one.ask('/demo text')
    await one.page.locator('.user-bubble', { hasText: '/demo text' }).waitFor()
    await one.page.getByRole('heading', { name: 'The path of a word' }).waitFor()
    await one.waitFor('Ready')
    await one.page.locator('figure.code').first().waitFor()
    await one.page.getByText(/1 step · .* tokens in/).waitFor()
    const ids = await one.page.locator('.wire-row .wire-id').allInnerTexts()
    expect(ids.at(-1)).toBe('–')
    await one.page.getByRole('button', { name: /^meta_init/ }).click()
    await one.page.locator('.wire-row').first().click()
    await one.page.getByRole('region', { name: 'Frame 1' }).getByText('user_query').waitFor()
  })

  test('a question pauses the run, survives a reload, and the answer resumes it', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    expect(new URL(one.page.url()).searchParams.get('session')).toMatch(/^[0-9a-f-]{36}$/)
    await one.page.reload()
    await one.page.locator('.question', { hasText: 'Shall I send it' }).waitFor()
    await one.page.getByRole('button', { name: 'Yes' }).click()
    await one.page.locator('.question', { hasText: 'You answered: yes' }).waitFor()
    await one.page.locator('.text', { hasText: 'Thank you for confirming' }).waitFor()
    await one.waitFor('Ready')
    expect(await one.page.getByRole('button', { name: 'Yes' }).count()).toBe(0)
  })

  test('a page in the background shows answers of another page when it is visible', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    // In a separate browser, which shares no storage.
    const other = await studio.open(one.page.url())
    await other.page.getByRole('button', { name: 'No' }).click()
    await other.page.locator('.text', { hasText: 'stays a draft' }).waitFor()
    await other.page.close()
    expect(await one.page.getByRole('button', { name: 'Yes' }).count()).toBe(1)
    await one.page.evaluate(() => dispatchEvent(new Event('focus')))
    await one.page.locator('.question', { hasText: 'You answered: no' }).waitFor()
    expect(await one.page.getByRole('button', { name: 'Yes' }).count()).toBe(0)
  })

  test('a slash offers demos, which are selected and closed with keys', async () => {
    const field = one.page.getByLabel('Your message')
    const list = one.page.getByRole('listbox', { name: 'Demos to choose' })
    await one.waitFor('Ready')
    await field.pressSequentially('/demo t')
    await list.getByRole('option', { name: '/demo tools' }).waitFor()
    await field.press('ArrowDown')
    await field.press('ArrowDown')
    await list.getByRole('option', { name: '/demo thinking', selected: true }).waitFor()
    await field.press('Enter')
    expect(await field.inputValue()).toBe('/demo thinking')
    expect(await list.count()).toBe(0)
    await field.fill('/')
    await list.waitFor()
    await field.press('Escape')
    await list.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('/')
  })

  test('an abandoned question is not shown as answered', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    await one.page.getByLabel('Your message').fill('/demo text')
    await one.page.getByText('Sending this leaves the question unanswered.').waitFor()
    await one.ask('/demo text')
    await one.page.locator('.question', { hasText: 'You did not answer.' }).waitFor()
    await one.waitFor('Ready')
  })

  test('a reload in the middle of an answer continues without a gap or a duplicate', async () => {
    await one.ask(`/demo long ${longCount}`)
    await one.page.waitForFunction(() =>
      / 250 /.test(document.querySelector('.run')?.textContent ?? ''),
    )
    expect((await countedNumbers()).length).toBeLessThan(longCount)
    await one.page.reload()
    await one.page.locator('.run').waitFor()
    await one.waitFor('Ready')
    expect(await countedNumbers()).toEqual(Array.from({ length: longCount }, (_, n) => n + 1))
  })

  test('tools run concurrently, and thinking collapses', async () => {
    await one.ask('/demo tools')
    await one.page.getByText('Here is Lisbon right now').waitFor()
    await one.waitFor('Ready')
    expect(await one.page.locator('.card .tool-state[data-state=done]').count()).toBe(2)
    await one.ask('/demo thinking')
    await one.waitFor('Ready')
    const thought = one.page.locator('details.thinking')
    expect(await thought.getAttribute('open')).toBeNull()
    await thought.locator('summary').click()
    await one.page.getByText('Both ways agree.').waitFor()
  })

  test('a failure has a message, and can be retried', async () => {
    await one.ask('/demo error')
    await one.page.getByText('The model’s API failed', { exact: true }).first().waitFor()
    await one.page.getByRole('button', { name: 'Ask again' }).waitFor()
  })

  test('an answer with citations is one text with numbered sources', async () => {
    await one.ask('/demo web-search')
    await one.waitFor('Ready')
    await one.page.getByText('the encrypted parts that are returned').waitFor()
    const answer = one.page.locator('.text').last()
    expect(await answer.locator('.markdown p').count()).toBe(2)
    const marks = answer.locator('.citation-mark > *')
    expect(await marks.allTextContents()).toEqual(['1', '2', '3', '4'])
    // At any width of the page, no mark begins a line, and none is separated from its word.
    for (const width of [390, 377, 365, 353, 341, 329]) {
      await one.page.setViewportSize({ width, height: 800 })
      expect(await findStrayMarks(one.page)).toEqual([])
    }
    expect(await answer.locator('.citations a').first().getAttribute('href')).toContain(
      'https://example.com/wheels/overshot',
    )
  })

  test('content of write, run and search calls is displayed by its type, and raw on request', async () => {
    const { page } = one
    await one.ask('/demo write-file')
    const chat = page.locator('.chat-content')
    const file = page.getByLabel('File drafts/sluice.ts')
    await file.getByText('How far a sluice is open').waitFor()
    await chat.getByText('is written.').waitFor()
    await one.waitFor('Ready')
    await expect.poll(() => file.evaluate((element) => element.scrollTop)).toBe(0)
    expect(await file.locator('.hljs-keyword').first().textContent()).toBe('export')
    const card = page.locator('.card', { hasText: 'write_file' })
    await card.getByRole('button', { name: 'Raw', exact: true }).click()
    const raw = await card.getByLabel('Input, raw').textContent()
    expect(JSON.parse(raw ?? '')).toMatchObject({ path: 'drafts/sluice.ts' })
    await one.ask('/demo code-execution')
    await page.getByLabel('Command').getByText('python wheel.py').waitFor()
    await page.getByLabel('stdout').getByText('overshot').waitFor()
    await chat.getByText('Exit code 0').waitFor()
    await one.waitFor('Ready')
    await one.ask('/demo web-search')
    const found = page.getByRole('list', { name: 'Pages found' })
    await found.getByText('example.com · March 3, 2026').waitFor()
    const link = found.getByRole('link', { name: 'The overshot wheel' })
    expect(await link.getAttribute('href')).toBe('https://example.com/wheels/overshot')
    expect(await chat.textContent()).not.toContain('RW11TC1wYWdl')
  })

  test('successful ones of many concurrent calls collapse, unless the user opens them', async () => {
    const { page } = one
    await one.ask('/demo parallel-tools')
    await page.getByText('The agent ran five of the calls at a time.').waitFor()
    const folded = page.locator('details.card:not([open])')
    expect(await folded.count()).toBe(8)
    expect(await folded.first().locator('summary').innerText()).toMatch(/Lisbon → temperature: /)
    await folded.first().locator('summary').press('Enter')
    await page.locator('details.card[open]').getByLabel('Result', { exact: true }).waitFor()
    expect(await folded.count()).toBe(7)
    await one.waitFor('Ready')
    await one.ask('/demo text')
    await one.waitFor('Ready')
    expect(await folded.count()).toBe(7)
  })

  test('a call is shown while it is written, and an interrupted one is marked', async () => {
    await one.ask('/demo max-tokens')
    await one.page.getByText('export interface Sluice').first().waitFor()
    await one.page.getByText('The tool was not run').first().waitFor()
    await one.page.getByText('Interrupted at max_tokens').waitFor()
    // Many frames for one call: it was streamed.
    await one.page.getByRole('button', { name: /^tool_call ?\d\d/ }).waitFor()
  })

  test('text before a connection failure is rolled back and generated again', async () => {
    await one.ask('/demo cut')
    await one.page.getByText('The connection broke while I was writing.').waitFor()
    await one.page.getByText('This time the call was complete').waitFor()
    expect(await one.page.getByText('the connection to the model will break').count()).toBe(0)
    expect(await one.page.locator('.tool-state[data-state=done]').count()).toBe(1)
  })

  test('all demos are one click away, before and after the first prompt', async () => {
    await one.page.getByText('A scripted emulator, without a model or a key.').waitFor()
    await one.page.getByText(/^All \d+ demos$/).click()
    await one.page.getByRole('button', { name: 'A picture', exact: true }).click()
    await one.page.getByAltText('draw_chart, result 1').waitFor()
    await one.waitFor('Ready')
    await one.page.getByRole('button', { name: 'All demos…' }).click()
    await one.page.getByRole('button', { name: 'Refusal', exact: true }).click()
    await one.page
      .getByText('The provider stopped this answer; discard the partial answer.')
      .waitFor()
  })

  test('every other demo plays to its end, one after the other', async () => {
    const answer = one.page.locator('.chat-content .text')
    for (const [name, words] of Object.entries(endings)) {
      await one.ask(`/demo ${name}`)
      await answer.getByText(words).waitFor()
      await one.waitFor('Ready')
    }
    // Text that was rolled back after the overload is only in the wire pane.
    expect(await one.page.getByText('In a moment the model will be overloaded').count()).toBe(0)
    await one.page.getByRole('button', { name: /^rollback/ }).waitFor()
  })

  test('demos are offered only if the demo agent plays them', async () => {
    const health = { status: 'healthy', store: 'available', default_agent: 'miller' }
    await one.page.route('**/health', (route) =>
      route.fulfill({ json: { ...health, default_model: 'claude-sonnet-5' } }),
    )
    await one.page.goto(`${studio.server.url}/?fresh`)
    await one.page.getByText('The agent here is miller on claude-sonnet-5.').waitFor()
    await keepPicture(one.page, 'welcome other agent')
    expect(await one.page.getByText(/\/demo|scripted|ANTHROPIC/).count()).toBe(0)
    expect(await one.page.getByLabel('Your message').getAttribute('placeholder')).toBe(
      'Ask something',
    )
    await one.page.getByRole('button', { name: /What it can do/ }).click()
    await one.page.locator('.user-bubble', { hasText: 'What can you do?' }).waitFor()
    await one.waitFor('Ready')
    expect(await one.page.getByLabel('Demos').count()).toBe(0)
  })

  test('the address of an unknown conversation is reported, with the offer of a new one', async () => {
    await one.page.goto(`${studio.server.url}/?session=00000000-0000-4000-8000-000000000000`)
    await one.page.getByText('This conversation is not on the server').waitFor()
    await one.page.getByText('The address may belong to another server.').waitFor()
    await one.waitFor('Not found')
    studio.complaints.length = 0 // the browser notes the 404
    await one.page.getByRole('button', { name: 'New chat' }).last().click()
    await one.page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
    expect(new URL(one.page.url()).search).toBe('')
  })

  test('an address without a valid conversation is reported, with the offer of a new one', async () => {
    await one.page.goto(`${studio.server.url}/?session=nonsense`)
    await one.page.getByText('“nonsense” is not the id of a session').waitFor()
    await one.waitFor('Not found')
    studio.complaints.length = 0 // the browser notes the 400
    expect(await one.page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await one.page.locator('.notice').getByRole('button', { name: 'New chat' }).click()
    await one.page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
    expect(new URL(one.page.url()).search).toBe('')
  })
})
