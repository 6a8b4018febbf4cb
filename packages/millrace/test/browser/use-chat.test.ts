import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { chromiumPath, launchChromium } from '../support/browser/chromium.ts'
import { slowPace } from '../support/servers/test-servers.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { rootText } from '../support/protocols/ui-chat.ts'
import type { UseChatView } from './page/use-chat-page.tsx'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'

/** The page is written for the newer version; the older one has the same names. */
const aliases: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  6: { 'ai-sdk-react-4': 'ai-sdk-react-3', 'ai-7': 'ai-6' },
  7: {},
}

/** The script of the page with one version of the AI SDK. */
async function bundle(version: number): Promise<string> {
  const entry = fileURLToPath(new URL('page/use-chat-page.tsx', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: aliases[version] ?? {} },
    // In a test, JSX is compiled for development, which a production build of React lacks.
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, target: 'esnext', lib: { entry, formats: ['es'], fileName: 'page' } },
  })
  const { output } = [result].flat()[0] as { output: readonly { code: string }[] }
  return output[0]?.code ?? ''
}

const look = (page: Page): Promise<UseChatView> =>
  page.evaluate(() =>
    (window as unknown as { useChatPage: { look: () => UseChatView } }).useChatPage.look(),
  )
const until = (page: Page, view: { readonly text: string; readonly status?: string }) =>
  page.waitForFunction(({ text, status }) => {
    const shown = (
      window as unknown as { useChatPage?: { look: () => UseChatView } }
    ).useChatPage?.look()
    return shown?.text.includes(text) === true && (status ?? shown.status) === shown.status
  }, view)

/** The messages of a current run that has emitted text. */
async function readUnderWay(url: string): Promise<unknown> {
  let body: { messages: readonly unknown[]; running: boolean } = { messages: [], running: false }
  await expect
    .poll(async () => {
      body = (await (await fetch(url)).json()) as typeof body
      return [body.messages.length, body.running]
    })
    .toEqual([2, true])
  return body
}

describe.skipIf(left).each([6, 7])('useChat of the AI SDK %i in a real browser', (version) => {
  let server: TestServer
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    server = await openTestServer({ pace: { ...slowPace, tokensPerSecond: 12 } })
    browser = await launchChromium()
    context = await browser.newContext()
    const script = (await bundle(version)).replaceAll('</script', '<\\/script')
    await context.route('**/use-chat-page*', (route) =>
      route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body: `<!doctype html><body><script type="module">${script}</script></body>`,
      }),
    )
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('a run with a tool of the page, reloaded in the middle, is finished once', async () => {
    const session = crypto.randomUUID()
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(`${server.url}/use-chat-page?chat=${session}`)
    await until(page, { text: '', status: 'ready' })
    await page.evaluate(() =>
      (window as unknown as { useChatPage: { ask: (text: string) => void } }).useChatPage.ask(
        '/demo frontend',
      ),
    )
    await until(page, { text: 'report' })
    await page.reload()
    await until(page, { text: 'answered hours later.', status: 'ready' })
    const { roles, error, text, ran, loaded } = await look(page)
    expect({ roles, error, ran, loaded }).toEqual({
      roles: ['user', 'assistant'],
      error: undefined,
      ran: 1,
      loaded: 2,
    })
    const watcher = createSession({ url: server.url, session })
    await watcher.watch()
    expect(text).toBe(rootText(watcher))
    watcher.close()
    await page.reload()
    await until(page, { text: 'answered hours later.', status: 'ready' })
    expect(await look(page)).toMatchObject({ roles, text, ran: 1, loaded: 2 })
    const state = (await (await fetch(`${server.url}/agent/${session}`)).json()) as {
      total_runs: number
    }
    expect(state.total_runs).toBe(1)
    expect(problems).toEqual([])
    await page.close()
  })

  test('a run that pauses after the page has loaded its messages is answered, though no run is active any more', async () => {
    const session = crypto.randomUUID()
    const asker = createSession({ url: server.url, session })
    const pause = asker.run('/demo frontend')
    // Read here and not by the page, because the run may pause before the page has loaded.
    const messages = await readUnderWay(`${server.url}/ai-sdk/chat/${session}/messages`)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.route('**/messages', (route) => route.fulfill({ json: messages }))
    await page.route('**/stream*', async (route) => {
      await pause
      await route.continue()
    })
    await page.goto(`${server.url}/use-chat-page?chat=${session}`)
    await until(page, { text: 'answered hours later.', status: 'ready' })
    const { roles, error, ran } = await look(page)
    expect({ roles, error, ran }).toEqual({
      roles: ['user', 'assistant'],
      error: undefined,
      ran: 1,
    })
    asker.close()
    await page.close()
  })
})
