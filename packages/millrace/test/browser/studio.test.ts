import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startDevServer } from '../../src/cli/dev-server.ts'
import type { DevServer } from '../../src/cli/dev-server.ts'
import { chromiumMissing, chromiumPath, launchChromium } from '../support/chromium.ts'

const mustRun = process.env['CI'] === 'true'
const left = chromiumPath === undefined && !mustRun
if (left) process.stderr.write(`Studio is not tested in a browser: ${chromiumMissing}.\n`)

let server: DevServer
let browser: Browser
let page: Page
let complaints: string[] = []

async function openPage(path = '/'): Promise<void> {
  page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(server.url + path)
}

async function ask(prompt: string): Promise<void> {
  await page.getByLabel('Your message').fill(prompt)
  await page.keyboard.press('Enter')
}

function waitForConnection(word: string): Promise<void> {
  return page.getByTestId('connection').filter({ hasText: word }).waitFor()
}

/** Long enough to be still under way when the page is loaded again. */
const longCount = 4_000

/** The numbers that the long demo has counted to, as the page shows them. */
async function countedNumbers(): Promise<number[]> {
  const paragraphs = await page.locator('.run .markdown p').allTextContents()
  return (paragraphs.join(' ').match(/\d+/g) ?? []).map(Number)
}

describe.skipIf(left)('Studio in Chromium', () => {
  beforeAll(async () => {
    server = await startDevServer({
      port: 0,
      host: '127.0.0.1',
      modelId: 'emulator',
      pace: { tokensPerSecond: 400, firstTokenMs: 20, jitter: 0 },
      toolDelayMs: 50,
      onError: (error) => complaints.push(String(error)),
      onViolation: ({ rule, message }) => complaints.push(`[${rule}] ${message}`),
    })
    if (!server.hasStudio) throw new Error('Studio has not been built; run npm run build first.')
    browser = await launchChromium()
  })

  afterEach(async () => {
    await page.close()
    expect(complaints).toEqual([])
    complaints = []
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('a prompt is sent with Enter, its answer streams in, and every frame stands in the wire', async () => {
    await openPage()
    await ask('/demo text')
    await page.locator('.user-bubble', { hasText: '/demo text' }).waitFor()
    await page.getByRole('heading', { name: 'The way of a word' }).waitFor()
    await waitForConnection('Ready')
    await page.locator('figure.code').first().waitFor()
    await page.getByText(/1 step · .* tokens in/).waitFor()
    const ids = await page.locator('.wire-row .wire-id').allInnerTexts()
    expect(ids.at(-1)).toBe('–')
    await page.getByRole('button', { name: /^meta_init/ }).click()
    await page.locator('.wire-row').first().click()
    await page.getByRole('region', { name: 'Frame 1' }).getByText('user_query').waitFor()
  })

  test('a question pauses the run, survives a reload, and the answer lets it go on', async () => {
    await openPage()
    await ask('/demo frontend')
    await waitForConnection('Waiting for you')
    expect(new URL(page.url()).searchParams.get('session')).toMatch(/^[0-9a-f-]{36}$/)
    await page.reload()
    await page.locator('.question', { hasText: 'Shall I send it' }).waitFor()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.locator('.question', { hasText: 'You answered: yes' }).waitFor()
    await page.locator('.text', { hasText: 'Thank you for confirming' }).waitFor()
    await waitForConnection('Ready')
    expect(await page.getByRole('button', { name: 'Yes' }).count()).toBe(0)
  })

  test('a page that someone turns to shows what was answered in another one', async () => {
    await openPage()
    await ask('/demo frontend')
    await waitForConnection('Waiting for you')
    const other = await browser.newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'No' }).click()
    await other.locator('.text', { hasText: 'stays a draft' }).waitFor()
    await other.close()
    expect(await page.getByRole('button', { name: 'Yes' }).count()).toBe(1)
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.locator('.question', { hasText: 'You answered: no' }).waitFor()
    expect(await page.getByRole('button', { name: 'Yes' }).count()).toBe(0)
  })

  test('a question that is passed over is not shown as answered', async () => {
    await openPage()
    await ask('/demo frontend')
    await waitForConnection('Waiting for you')
    await ask('/demo text')
    await page.locator('.question', { hasText: 'You did not answer.' }).waitFor()
    await waitForConnection('Ready')
  })

  test('a reload in the middle of an answer goes on without a gap and without a double', async () => {
    await openPage()
    await ask(`/demo long ${longCount}`)
    await page.waitForFunction(() =>
      / 250 /.test(document.querySelector('.run')?.textContent ?? ''),
    )
    expect((await countedNumbers()).length).toBeLessThan(longCount)
    await page.reload()
    await page.locator('.run').waitFor()
    await waitForConnection('Ready')
    expect(await countedNumbers()).toEqual(Array.from({ length: longCount }, (_, n) => n + 1))
  })

  test('tools run side by side, and thinking folds away', async () => {
    await openPage()
    await ask('/demo tools')
    await page.getByText('Here is Lisbon right now').waitFor()
    await waitForConnection('Ready')
    expect(await page.locator('.card .tool-state[data-state=done]').count()).toBe(2)
    await ask('/demo thinking')
    await page.getByText('Thinking…').waitFor()
    await waitForConnection('Ready')
    const thought = page.locator('details.thinking')
    expect(await thought.getAttribute('open')).toBeNull()
    await thought.locator('summary').click()
    await page.getByText('Both ways agree.').waitFor()
  })

  test('a failure is told in words, and can be tried again', async () => {
    await openPage()
    await ask('/demo error')
    await page.getByText('The model’s API failed', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Ask again' }).waitFor()
  })

  test('an answer that cites is one text with numbered sources', async () => {
    await openPage()
    await ask('/demo web-search')
    await waitForConnection('Ready')
    await page.getByText('the encrypted parts that go back').waitFor()
    const answer = page.locator('.text').last()
    expect(await answer.locator('.markdown p').count()).toBe(2)
    expect(await answer.locator('.citation-mark').allTextContents()).toEqual(['1', '2', '3', '4'])
    expect(await answer.locator('.citations a').first().getAttribute('href')).toContain(
      'https://example.com/wheels/overshot',
    )
  })

  test('a call is shown while it is written, and one that was cut short says so', async () => {
    await openPage()
    await ask('/demo max-tokens')
    await page.getByText('export interface Sluice').first().waitFor()
    await page.getByText('The tool was not run').first().waitFor()
    await page.getByText('The answer met its limit of tokens').waitFor()
    // Many messages for one call: it was sent as it was written.
    await page.getByRole('button', { name: /^tool_call ?\d\d/ }).waitFor()
  })

  test('what was said before a connection broke is taken back and said again', async () => {
    await openPage()
    await ask('/demo cut')
    await page.getByText('The connection broke while I was writing.').waitFor()
    await page.getByText('This time the call was whole').waitFor()
    expect(await page.getByText('the connection to the model will break').count()).toBe(0)
    expect(await page.locator('.tool-state[data-state=done]').count()).toBe(1)
  })

  test('all demos are one click away, before and after the first question', async () => {
    await openPage()
    await page.getByText(/^All \d+ demos$/).click()
    await page.getByRole('button', { name: 'A picture', exact: true }).click()
    await page.getByAltText('draw_chart, result 1').waitFor()
    await waitForConnection('Ready')
    await page.getByRole('button', { name: 'All demos…' }).click()
    await page.getByRole('button', { name: 'Refusal', exact: true }).click()
    await page.getByText('The provider stopped this answer.').waitFor()
  })

  test('an address that names an unknown conversation says so and offers a new one', async () => {
    await openPage('/?session=00000000-0000-4000-8000-000000000000')
    await page.getByText('This conversation is not on the server').waitFor()
    complaints = [] // the browser notes the 404
    await page.getByRole('button', { name: 'New chat' }).last().click()
    await page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('an address that names no conversation at all says so and offers a new one', async () => {
    await openPage('/?session=nonsense')
    await page.getByText('“nonsense” is not the id of a session').waitFor()
    complaints = [] // the browser notes the 400
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await page.locator('.notice').getByRole('button', { name: 'New chat' }).click()
    await page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })
})
