import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { defineFrontendTool } from '../../src/tools/define-tool.ts'
import { anything, call, text } from '../support/agents/agent-harness.ts'
import { createScriptedModel } from '../support/agents/scripted-model.ts'
import { chromiumPath, launchChromium } from '../support/browser/chromium.ts'
import { countTo, slowPace } from '../support/servers/test-servers.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import type { ClientPage } from './page/client-page.tsx'

declare const clientPage: ClientPage

const left = chromiumPath === undefined && process.env['CI'] !== 'true'

/** An agent whose page measures. */
function createSurveyor() {
  const measure = defineFrontendTool({ name: 'measure', description: '', input: anything })
  const replies = [{ content: [call('m1', 'measure')] }, { content: [text('Measured.')] }]
  return createAgent({ name: 'surveyor', model: createScriptedModel(replies), tools: [measure] })
}

let server: TestServer
let browser: Browser
let context: BrowserContext

/** The script of the page, from the sources. */
async function bundle(): Promise<string> {
  const entry = fileURLToPath(new URL('page/client-page.tsx', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'error',
    // In a test, JSX is compiled for development, which a production build of React lacks.
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, lib: { entry, formats: ['es'], fileName: 'page' } },
  })
  const { output } = [result].flat()[0] as { output: readonly { code: string }[] }
  return output[0]?.code ?? ''
}

async function open(): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${server.url}/client-page`)
  return page
}

async function openTab(id: string): Promise<Page> {
  const page = await open()
  await page.evaluate((session) => clientPage.share(session), id)
  return page
}

const look = (page: Page) => page.evaluate(() => clientPage.look())
const until = (page: Page, least: number) =>
  page.waitForFunction((id) => clientPage.look().lastId >= id, least)
const readers = async (): Promise<number> => {
  const health = (await (await fetch(`${server.url}/health`)).json()) as { readers: number }
  return health.readers
}

describe.skipIf(left)('the client in a real browser', () => {
  beforeAll(async () => {
    server = await openTestServer({
      pace: { ...slowPace, tokensPerSecond: 60 },
      // Over a minute: the run is stopped during its activity, even if tabs open slowly.
      scenarios: [countTo(4_000)],
      agents: { surveyor: createSurveyor() },
      // Longer than any test, so that no claim is granted because it has expired.
      limits: { claimMs: 600_000 },
    })
    browser = await launchChromium()
    context = await browser.newContext()
    const script = (await bundle()).replaceAll('</script', '<\\/script')
    await context.route('**/client-page', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><body><script type="module">${script}</script></body>`,
      }),
    )
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('tabs of one conversation have one connection, and the next tab takes over when that tab is closed', async () => {
    const id = crypto.randomUUID()
    const one = await openTab(id)
    await one.evaluate(() => clientPage.ask('hello'))
    await until(one, 10)
    const two = await openTab(id)
    const three = await openTab(id)
    for (const page of [two, three]) await page.evaluate(() => clientPage.watch())
    const { lastId } = await look(one)
    await Promise.all([two, three].map((page) => until(page, lastId + 20)))
    await expect.poll(readers).toBe(1)
    await one.close()
    const { lastId: before } = await look(two)
    await Promise.all([two, three].map((page) => until(page, before + 20)))
    await expect.poll(readers).toBe(1)
    expect(await three.evaluate(() => clientPage.stop())).toBe(true)
    for (const page of [two, three]) {
      await page.waitForFunction(() => clientPage.look().status === 'aborted')
    }
    const [left1, left2] = await Promise.all([look(two), look(three)])
    expect(left1).toEqual(left2)
    const words = left1.text.trim().split(' ')
    expect(words).toEqual(words.map((_, n) => `${n}`))
    await two.close()
    await three.close()
  })

  test('a page that is reloaded while its tool runs takes over its own claim at once, and no other tab does', async () => {
    const id = crypto.randomUUID()
    const one = await open()
    await one.evaluate((session) => clientPage.share(session, 'surveyor'), id)
    await one.evaluate(() => clientPage.serveTool())
    await one.evaluate(() => clientPage.ask('go'))
    await one.waitForFunction(() => clientPage.look().hasRun)
    const two = await openTab(id)
    await two.evaluate(() => clientPage.watch())
    await two.evaluate(() => clientPage.serveTool('two'))
    await one.reload()
    await one.evaluate((session) => clientPage.share(session), id)
    await one.evaluate(() => clientPage.watch())
    await one.evaluate(() => clientPage.serveTool('one'))
    for (const page of [one, two])
      await page.waitForFunction(() => clientPage.look().text === 'Measured.')
    expect([(await look(one)).hasRun, (await look(two)).hasRun]).toEqual([true, false])
    await one.close()
    await two.close()
  })

  test('10,000 deltas render growing parts at most once per frame, and nothing else', async () => {
    const page = await open()
    const counts = await page.evaluate(() => clientPage.countRenders(500, 10_000))
    expect(counts.text).toBe('x'.repeat(10_000))
    expect(counts.past).toBe(1)
    expect(counts.list).toBeLessThanOrEqual(4)
    expect(counts.state).toBeLessThanOrEqual(6)
    expect(counts.growing).toBeGreaterThan(1)
    expect(counts.growing).toBeLessThanOrEqual(counts.frames)
    await page.close()
  })
})
