import { describe, expect, test } from 'vitest'
import { keepPicture } from '../support/keep-picture.ts'
import { left, one, studio, withStudio } from '../support/studio-tests.ts'

/** Long enough to be still under way when the page is loaded again. */
const longCount = 4_000

/** The numbers that the long demo has counted to, as the page shows them. */
async function countedNumbers(): Promise<number[]> {
  const paragraphs = await one.page.locator('.run .markdown p').allTextContents()
  return (paragraphs.join(' ').match(/\d+/g) ?? []).map(Number)
}

/** How the demos end that no other test looks at. */
const endings = {
  citations: 'it is shown after it.',
  'parallel-tools': 'The agent ran five of the calls at a time.',
  'write-file': 'each piece was read once',
  'code-execution': 'the agent only watched them go by.',
  mcp: 'the calendar answered with an error.',
  'pause-turn': 'was the first thing to come.',
  overloaded: 'The frames still show both.',
}

describe.skipIf(left)('Studio in Chromium', () => {
  withStudio({ toolDelayMs: 50 })

  test('a prompt is sent with Enter, its answer streams in, and every frame stands in the wire', async () => {
    await one.ask('/demo text')
    await one.page.locator('.user-bubble', { hasText: '/demo text' }).waitFor()
    await one.page.getByRole('heading', { name: 'The way of a word' }).waitFor()
    await one.waitFor('Ready')
    await one.page.locator('figure.code').first().waitFor()
    await one.page.getByText(/1 step · .* tokens in/).waitFor()
    const ids = await one.page.locator('.wire-row .wire-id').allInnerTexts()
    expect(ids.at(-1)).toBe('–')
    await one.page.getByRole('button', { name: /^meta_init/ }).click()
    await one.page.locator('.wire-row').first().click()
    await one.page.getByRole('region', { name: 'Frame 1' }).getByText('user_query').waitFor()
  })

  test('a question pauses the run, survives a reload, and the answer lets it go on', async () => {
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

  test('a page that someone turns to shows what was answered in another one', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    // In a browser of its own, which shares nothing.
    const other = await studio.open(one.page.url())
    await other.page.getByRole('button', { name: 'No' }).click()
    await other.page.locator('.text', { hasText: 'stays a draft' }).waitFor()
    await other.page.close()
    expect(await one.page.getByRole('button', { name: 'Yes' }).count()).toBe(1)
    await one.page.evaluate(() => dispatchEvent(new Event('focus')))
    await one.page.locator('.question', { hasText: 'You answered: no' }).waitFor()
    expect(await one.page.getByRole('button', { name: 'Yes' }).count()).toBe(0)
  })

  test('a slash offers demos, which keys choose and close', async () => {
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

  test('a question that is passed over is not shown as answered', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting for you')
    await one.page.getByLabel('Your message').fill('/demo text')
    await one.page.getByText('Sending this leaves the question unanswered.').waitFor()
    await one.ask('/demo text')
    await one.page.locator('.question', { hasText: 'You did not answer.' }).waitFor()
    await one.waitFor('Ready')
  })

  test('a reload in the middle of an answer goes on without a gap and without a double', async () => {
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

  test('tools run side by side, and thinking folds away', async () => {
    await one.ask('/demo tools')
    await one.page.getByText('Here is Lisbon right now').waitFor()
    await one.waitFor('Ready')
    expect(await one.page.locator('.card .tool-state[data-state=done]').count()).toBe(2)
    await one.ask('/demo thinking')
    await one.page.getByText('Thinking…').waitFor()
    await one.waitFor('Ready')
    const thought = one.page.locator('details.thinking')
    expect(await thought.getAttribute('open')).toBeNull()
    await thought.locator('summary').click()
    await one.page.getByText('Both ways agree.').waitFor()
  })

  test('a failure is told in words, and can be tried again', async () => {
    await one.ask('/demo error')
    await one.page.getByText('The model’s API failed', { exact: true }).first().waitFor()
    await one.page.getByRole('button', { name: 'Ask again' }).waitFor()
  })

  test('an answer that cites is one text with numbered sources', async () => {
    await one.ask('/demo web-search')
    await one.waitFor('Ready')
    await one.page.getByText('the encrypted parts that go back').waitFor()
    const answer = one.page.locator('.text').last()
    expect(await answer.locator('.markdown p').count()).toBe(2)
    expect(await answer.locator('.citation-mark').allTextContents()).toEqual(['1', '2', '3', '4'])
    expect(await answer.locator('.citations a').first().getAttribute('href')).toContain(
      'https://example.com/wheels/overshot',
    )
  })

  test('a call is shown while it is written, and one that was cut short says so', async () => {
    await one.ask('/demo max-tokens')
    await one.page.getByText('export interface Sluice').first().waitFor()
    await one.page.getByText('The tool was not run').first().waitFor()
    await one.page.getByText('The answer met its limit of tokens').waitFor()
    // Many messages for one call: it was sent as it was written.
    await one.page.getByRole('button', { name: /^tool_call ?\d\d/ }).waitFor()
  })

  test('what was said before a connection broke is taken back and said again', async () => {
    await one.ask('/demo cut')
    await one.page.getByText('The connection broke while I was writing.').waitFor()
    await one.page.getByText('This time the call was whole').waitFor()
    expect(await one.page.getByText('the connection to the model will break').count()).toBe(0)
    expect(await one.page.locator('.tool-state[data-state=done]').count()).toBe(1)
  })

  test('all demos are one click away, before and after the first question', async () => {
    await one.page.getByText('A scripted emulator, without a model or a key.').waitFor()
    await one.page.getByText(/^All \d+ demos$/).click()
    await one.page.getByRole('button', { name: 'A picture', exact: true }).click()
    await one.page.getByAltText('draw_chart, result 1').waitFor()
    await one.waitFor('Ready')
    await one.page.getByRole('button', { name: 'All demos…' }).click()
    await one.page.getByRole('button', { name: 'Refusal', exact: true }).click()
    await one.page.getByText('The provider stopped this answer.').waitFor()
  })

  test('every other demo plays to its end, one after the other', async () => {
    const answer = one.page.locator('.chat-content .text')
    for (const [name, words] of Object.entries(endings)) {
      await one.ask(`/demo ${name}`)
      await answer.getByText(words).waitFor()
      await one.waitFor('Ready')
    }
    // What was taken back when the model was overloaded stands in the wire alone.
    expect(await one.page.getByText('In a moment the model will be overloaded').count()).toBe(0)
    await one.page.getByRole('button', { name: /^rollback/ }).waitFor()
  })

  test('demos are offered only where the demo agent plays them', async () => {
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

  test('an address that names an unknown conversation says so and offers a new one', async () => {
    await one.page.goto(`${studio.server.url}/?session=00000000-0000-4000-8000-000000000000`)
    await one.page.getByText('This conversation is not on the server').waitFor()
    await one.page.getByText('The address may be of another server.').waitFor()
    await one.waitFor('Not found')
    studio.complaints.length = 0 // the browser notes the 404
    await one.page.getByRole('button', { name: 'New chat' }).last().click()
    await one.page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
    expect(new URL(one.page.url()).search).toBe('')
  })

  test('an address that names no conversation at all says so and offers a new one', async () => {
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
