import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { layCable } from '../support/network/cable.ts'
import { launchChromium } from '../support/browser/chromium.ts'
import { keepPicture } from '../support/browser/keep-picture.ts'
import { openStudioPage } from '../support/browser/studio-browser.ts'
import { type StudioProcess, startStudioProcess } from '../support/browser/studio-process.ts'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

/** Three seconds of text, for faults at any time. */
const LENGTH = 3_000
/** Ten seconds of text, for faults in the middle. */
const LONG_LENGTH = 10_000
const prompt = `/demo long ${LENGTH}`

/** The numbers of the long demo that the page shows. */
async function countedNumbers(page: Page): Promise<number[]> {
  const paragraphs = await page.locator('.run .markdown p').allTextContents()
  return (paragraphs.join(' ').match(/\d+/g) ?? []).map(Number)
}

async function untilCounted(page: Page, number: number): Promise<void> {
  await page.waitForFunction(
    (words) => document.querySelector('.run')?.textContent?.includes(words),
    ` ${number} `,
  )
}

/** Each number once, and all of them. */
async function expectWhole(page: Page, length = LENGTH): Promise<void> {
  await page.locator('.run-footer').getByText('Done', { exact: false }).waitFor()
  await page.getByTestId('connection').filter({ hasText: 'Ready' }).waitFor()
  await expect.poll(async () => (await countedNumbers(page)).length).toBe(length)
  expect(await countedNumbers(page)).toEqual(Array.from({ length }, (_, n) => n + 1))
  expect(await page.locator('.user-row').count()).toBe(1)
}

/** Waits until the server has emitted all, regardless of the page. */
async function untilServed(page: Page): Promise<void> {
  const id = new URL(page.url()).searchParams.get('session') ?? ''
  const status = async (): Promise<string> => {
    const response = await fetch(`${studio.server.url}/agent/${id}`)
    return ((await response.json()) as { status: string }).status
  }
  await expect.poll(status, { timeout: 30_000 }).not.toBe('running')
}

describe.skipIf(left)('an unreliable network', () => {
  // Browsers log unreachable addresses, and 404 responses for requests that were lost.
  withStudio({ noted: /ERR_(?:INTERNET|CONNECTION|INCOMPLETE|EMPTY|NETWORK)\w+|status of 404/ })

  test('that is slow shows text as it arrives, without loss', async () => {
    const { page } = one
    const network = await page.context().newCDPSession(page)
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 60_000,
      uploadThroughput: 8_000,
    })
    await page.evaluate(() => {
      const seen = new Set<number>()
      Object.assign(window, { seen })
      const look = () =>
        seen.add(document.querySelector('.run .markdown')?.textContent?.length ?? 0)
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
    })
    await one.ask(prompt)
    await expectWhole(page)
    const steps = await page.evaluate(() => (window as unknown as { seen: Set<number> }).seen.size)
    expect(steps).toBeGreaterThan(10)
  })

  test('that is lost is reported by the page, which resumes when it is back', async () => {
    const { page } = one
    const cable = await layCable(studio.server.url)
    await page.goto(cable.url)
    await one.ask(`/demo long ${LONG_LENGTH}`)
    await untilCounted(page, 142)
    await page.context().setOffline(true)
    cable.unplug()
    await one.waitFor('Offline')
    await page.getByText('You are offline', { exact: true }).waitFor()
    await keepPicture(page, 'offline')
    expect((await countedNumbers(page)).length).toBeLessThan(LONG_LENGTH)
    await untilServed(page)
    cable.plug()
    await page.context().setOffline(false)
    await expectWhole(page, LONG_LENGTH)
    expect(await page.getByText('You are offline').count()).toBe(0)
    await page.goto('about:blank')
    await cable.close()
  })

  test('does not lose a prompt that is written offline, and it is sent once when the network is back', async () => {
    const { page } = one
    await page.context().setOffline(true)
    await one.ask('/demo thinking')
    await one.waitFor('Offline')
    await page.locator('.user-bubble', { hasText: '/demo thinking' }).waitFor()
    await keepPicture(page, 'offline-prompt')
    await page.context().setOffline(false)
    await page.locator('.chat-content').getByText('204.', { exact: true }).waitFor()
    await one.waitFor('Ready')
    expect(await page.locator('.user-row').count()).toBe(1)
  })

  test('does not matter to a frozen page, which shows the complete answer when it resumes', async () => {
    const { page } = one
    await one.ask(prompt)
    await untilCounted(page, 142)
    const browser = await page.context().newCDPSession(page)
    await browser.send('Page.setWebLifecycleState', { state: 'frozen' })
    await untilServed(page)
    await browser.send('Page.setWebLifecycleState', { state: 'active' })
    await expectWhole(page)
  })

  test('does not matter to a page that is left and restored', async () => {
    const { page } = one
    await one.ask(prompt)
    await untilCounted(page, 142)
    await page.goto(`${studio.server.url}/health`)
    await page.goBack()
    await expectWhole(page)
  })
})

describe.skipIf(left)('a server that is killed in the middle of an answer', () => {
  let browser: Browser
  let server: StudioProcess

  beforeAll(async () => {
    browser = await launchChromium()
    // Slow enough for a fault in the middle on any machine.
    server = await startStudioProcess(100)
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('is awaited, and the answer is shown completely and once', async () => {
    const context = await browser.newContext()
    const complaints: string[] = []
    const opened = await openStudioPage(context, server.url, complaints)
    const { page } = opened
    await opened.ask(prompt)
    await untilCounted(page, 142)
    await server.kill()
    await opened.waitFor('Reconnecting')
    await page.getByText('The connection was lost', { exact: true }).waitFor()
    await keepPicture(page, 'server-gone')
    expect((await countedNumbers(page)).length).toBeLessThan(LENGTH)
    await server.restart(2_000)
    await expectWhole(page)
    await page.reload()
    await expectWhole(page)
    // The browser logs each attempt.
    expect(complaints.filter((line) => !/ERR_|Failed to load/.test(line))).toEqual([])
  })
})
