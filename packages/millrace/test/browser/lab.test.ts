import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startDevServer } from '../../../tools/src/dev/dev-server.ts'
import type { DevServer } from '../../../tools/src/dev/dev-server.ts'
import { chromiumMissing, chromiumPath, launchChromium } from '../support/browser/chromium.ts'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'
if (left) process.stderr.write(`The lab is not tested in a browser: ${chromiumMissing}.\n`)

let server: DevServer
let browser: Browser
let page: Page
let complaints: string[] = []

async function openPage(path: string, width = 1280): Promise<void> {
  page = await browser.newPage({ viewport: { width, height: 800 } })
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(server.url + path)
}

const region = (name: string) => page.getByRole('region', { name, exact: true })
const choice = (name: string) => page.getByRole('combobox', { name, exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })

function waitForStep(name: string | RegExp): Promise<void> {
  return page.getByTestId('step').filter({ hasText: name }).waitFor()
}

/** Advances by one step, and waits until the page shows it. */
async function goToNextStep(): Promise<void> {
  const step = page.getByTestId('step')
  const before = await step.innerText()
  await button('Next step').click()
  await expect.poll(() => step.innerText()).not.toBe(before)
}

/** Moves the slider to a part of the way. */
async function scrub(part: number): Promise<void> {
  const slider = page.getByRole('slider', { name: 'Step' })
  await slider.fill(String(Math.floor(Number(await slider.getAttribute('max')) * part)))
}

describe.skipIf(left)('The parser lab in Chromium', () => {
  beforeAll(async () => {
    server = await startDevServer({
      port: 0,
      host: '127.0.0.1',
      modelId: 'emulator',
      pace: 'instant',
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

  test('an example is stepped through: held text is marked, then its segment and invocation appear', async () => {
    await openPage('/')
    await page.getByRole('link', { name: 'Parser lab' }).click()
    await choice('Example').selectOption('hermes')
    await choice('Chunks').selectOption('character')
    await page.locator('.lab[aria-busy=false]').waitFor()
    await button('First step').click()
    await waitForStep('Nothing fed')
    await scrub(0.5)
    await waitForStep(/^Chunk \d+ of \d+$/)
    while (!(await page.getByTestId('held').isVisible())) await goToNextStep()
    expect(await page.getByTestId('held').textContent()).toBe('<')
    for (let step = 0; step < 5; step++) await goToNextStep()
    const held = await page.getByTestId('held').textContent()
    expect('<tool_call>').toContain(held)
    expect(await region('Segments').textContent()).not.toContain('tool_call')
    expect(await region('Invocations').textContent()).toContain('No call has ended yet.')

    await choice('Speed').selectOption('All in 5 s')
    await button('Play').click()
    await waitForStep('End of stream')
    expect(await page.getByTestId('held').count()).toBe(0)
    const card = page.locator('.segment-card', { hasText: 'tool_call' })
    await card.getByText('complete').waitFor()
    expect(await card.textContent()).toContain('{"city": "Oslo", "days": 3}')
    expect(await region('Invocations').textContent()).toContain('get_weather')
  })

  test('keys step, play and jump', async () => {
    await openPage('/#lab?example=sentinel&chunks=size:5&at=0')
    await waitForStep('Nothing fed')
    await page.keyboard.press('ArrowRight')
    await waitForStep(/^Chunk 1 of/)
    await page.keyboard.press('Shift+ArrowRight')
    await waitForStep(/^Chunk 11 of/)
    await page.keyboard.press('ArrowLeft')
    await waitForStep(/^Chunk 10 of/)
    await page.keyboard.press('End')
    await waitForStep('End of stream')
    await page.keyboard.press('Home')
    await page.keyboard.press('Space')
    await button('Pause').waitFor()
    await waitForStep('End of stream')
    await page.locator('.segment-card', { hasText: '/matrix.json' }).waitFor()
  })

  test('a call that the stream cut is shown as incomplete and not invoked', async () => {
    await openPage('/#lab?example=truncated&at=end')
    await page.locator('.segment-card', { hasText: 'incomplete' }).waitFor()
    expect(await region('Invocations').textContent()).toContain('Not invoked')
    expect(await region('Invocations').locator('pre').count()).toBe(0)
  })

  test('all chunkings are compared on request', async () => {
    await openPage('/#lab?example=adversarial')
    await button('Check all chunkings').click()
    await page.getByText('All 52 chunkings agree').waitFor()
  })

  test('an own text and its settings are in the address, so that it can be shared', async () => {
    await openPage('/#lab')
    await page
      .getByRole('textbox', { name: 'Text', exact: true })
      .fill('see `<think>` and <think>this</think> 🌾')
    await choice('Format').selectOption('auto')
    await page.getByText('Options').click()
    await choice('Inline code').selectOption('transparent')
    await page.waitForFunction(() => location.hash.includes('inline=transparent'))
    await page.reload()
    await page.locator('.segment-card', { hasText: 'reasoning' }).first().waitFor()
    expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toContain(
      '🌾',
    )
    await page.getByText('Options').click()
    expect(await choice('Inline code').inputValue()).toBe('transparent')
  })

  test('invalid input is rejected with a message, and a text that is too long is truncated', async () => {
    await openPage('/#lab?format=named:nonsense')
    await page.getByText('There is no format “nonsense”').waitFor()
    await choice('Format').selectOption('xml')
    await region('Source').waitFor()
    await page.getByRole('textbox', { name: 'Text', exact: true }).evaluate((field) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'All work and no play\n'.repeat(10_000))
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    })
    await page.getByText('the lab keeps the first 200,000').waitFor()
    await choice('Chunks').selectOption('character')
    await page.locator('input[type=range][max="200001"]').waitFor()
    await scrub(0.5)
    await waitForStep(/^Chunk 100,000 of 200,000$/)
    await button('Next step').click()
    await waitForStep(/^Chunk 100,001 of 200,000$/)
  })

  test('the formats of a model are found by its id, and an unknown id is reported', async () => {
    await openPage('/#lab?example=harmony&format=model:openai/gpt-oss-120b&at=end')
    await page.getByText('Formats: harmony.').waitFor()
    await page.locator('.segment-card', { hasText: 'tool_call' }).waitFor()
    await page.getByLabel('Model id').fill('nobody/nothing-7b')
    await page.getByText('This model is unknown').waitFor()
  })

  test('every control has a name, and nothing is wider than a phone', async () => {
    await openPage('/#lab?example=seed-xml&at=end', 390)
    await region('Invocations').getByText('search', { exact: true }).waitFor()
    const faults = await page.locator('.lab').evaluate((lab) => {
      const controls = lab.querySelectorAll<HTMLInputElement>('button, select, input, textarea')
      const unnamed = [...controls].filter(
        (control) =>
          !control.ariaLabel && !control.textContent?.trim() && !(control.labels?.length ?? 0),
      )
      const wide = [...lab.querySelectorAll('section, header, .stepper')].filter(
        (part) => part.getBoundingClientRect().right > innerWidth + 1,
      )
      return [...unnamed, ...wide].map((element) => element.outerHTML.slice(0, 120))
    })
    expect(faults).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })
})
