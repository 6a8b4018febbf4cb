import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type DevServer, startDevServer } from '../../../../tools/src/dev/dev-server.ts'
import { launchChromium } from './chromium.ts'

/** Studio in a real browser, on a separate server. */
export interface StudioBrowser {
  readonly server: DevServer
  /** The errors of servers and pages so far. */
  readonly complaints: string[]
  /** Opens a page, of a conversation if its address is given. */
  open(address?: string): Promise<StudioPage>
  close(): Promise<void>
}

/** The options of a studio. */
export interface StudioBrowserOptions {
  /** The simulated duration of each tool of the demo agent. */
  readonly toolDelayMs?: number
}

/** A page with the actions of users. */
export interface StudioPage {
  readonly page: Page
  /** Opens another tab of the same browser, at the same address. */
  readonly openTab: () => Promise<StudioPage>
  /** Sends a message, and resolves when the page shows that it is being sent. */
  readonly ask: (prompt: string) => Promise<void>
  /** Waits until the badge shows a word. */
  readonly waitFor: (word: string) => Promise<void>
}

/** Starts {@link StudioBrowser}: fast, but slow enough for actions in the middle of a run. */
export async function openStudioBrowser({
  toolDelayMs = 600,
}: StudioBrowserOptions = {}): Promise<StudioBrowser> {
  const complaints: string[] = []
  const server = await startDevServer({
    port: 0,
    host: '127.0.0.1',
    modelId: 'emulator',
    pace: { tokensPerSecond: 400, firstTokenMs: 20, jitter: 0 },
    toolDelayMs,
    onError: (error) => complaints.push(String(error)),
    onViolation: ({ rule, message }) => complaints.push(`[${rule}] ${message}`),
  })
  if (!server.hasStudio) throw new Error('Studio has not been built; run npm run build first.')
  const browser: Browser = await launchChromium()
  return {
    server,
    complaints,
    open: async (address = server.url) =>
      openStudioPage(await browser.newContext(), address, complaints),
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

/** Waits until the page shows its current state: state reaches the screen with the next animation frame. */
function untilDrawn(page: Page): Promise<void> {
  return page.evaluate(async () => {
    // The first frame updates the elements, the second one comes after they are drawn.
    for (let count = 0; count < 2; count++) await new Promise(requestAnimationFrame)
  })
}

/** Opens a page at an address; its errors and warnings are added to a list. */
export async function openStudioPage(
  context: BrowserContext,
  address: string,
  complaints: string[],
): Promise<StudioPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(address)
  return {
    page,
    openTab: () => openStudioPage(context, page.url(), complaints),
    async ask(prompt) {
      const field = page.getByLabel('Your message')
      await field.fill(prompt)
      // A question that arrives meanwhile may take the focus.
      await field.press('Enter')
      await untilDrawn(page)
    },
    waitFor: (word) => page.getByTestId('connection').filter({ hasText: word }).waitFor(),
  }
}
