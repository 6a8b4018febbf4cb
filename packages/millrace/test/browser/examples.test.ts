import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumPath, launchChromium } from '../support/browser/chromium.ts'
import {
  exampleFolder,
  type ExampleProcess,
  startExample,
} from '../support/processes/example-process.ts'
import { startNewApp } from '../support/processes/new-app.ts'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'

let browser: Browser
let page: Page
let complaints: string[]

/** Serves an example during a test of its page. */
async function visit(
  { url, stop }: Pick<ExampleProcess, 'url' | 'stop'>,
  look: (address: string) => Promise<void>,
): Promise<void> {
  try {
    const address = await url()
    await page.goto(address)
    await look(address)
    expect(complaints).toEqual([])
  } finally {
    await stop()
  }
}

async function ask(prompt: string): Promise<void> {
  await page.getByLabel('Your message').fill(prompt)
  await page.keyboard.press('Enter')
}

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor()

describe.skipIf(left)('pages of examples', () => {
  beforeAll(async () => {
    browser = await launchChromium()
  })

  beforeEach(async () => {
    complaints = []
    page = await browser.newPage()
    page.setDefaultTimeout(30_000)
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
  })

  afterEach(() => page.close())

  afterAll(async () => {
    await browser?.close()
  })

  test('server-and-react: the page answers the question of its tool', async () => {
    const cwd = exampleFolder('server-and-react')
    const vite = join(dirname(createRequire(cwd).resolve('vite/package.json')), 'bin/vite.js')
    await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd })
    await visit(startExample(['--import', 'tsx', 'server.ts'], { cwd }), async () => {
      const questions: string[] = []
      page.on('dialog', (dialog) => {
        questions.push(dialog.message())
        void dialog.accept()
      })
      await ask('Grind 50 kg of rye.')
      await shows('50 kg of grain make 40 kg of flour.')
      await shows('complete')
      expect(questions).toEqual(['50 kg is a lot. Shall I grind it all?'])
      await shows(/grind {"kilograms":50} → 40 kg of flour/)
      expect(await page.locator('.prompt').allInnerTexts()).toEqual(['Grind 50 kg of rye.'])
    })
  })

  test('plain-js: an answer arrives, can be stopped, and is shown after a reload', async () => {
    const server = startExample(['server.js'], { cwd: exampleFolder('plain-js') })
    await visit(server, async () => {
      const stop = page.getByRole('button', { name: 'Stop' })
      expect(await stop.isVisible()).toBe(false)
      await ask('/demo long 100000')
      expect(await page.getByLabel('Your message').inputValue()).toBe('')
      await shows('streaming')
      await stop.click()
      await shows('aborted')
      await stop.waitFor({ state: 'hidden' })
      await ask('/demo thinking')
      await shows('204.')
      await shows('complete')
      await page.reload()
      await shows('204.')
      expect(await page.locator('#asked').innerText()).toBe('/demo thinking')
    })
  })

  test('millrace init: the page shows the prompt, the call and the answer, also after a reload', async () => {
    const app = await startNewApp()
    await visit({ url: async () => app.url, stop: app.close }, async () => {
      await ask('How much flour do 30 kg make?')
      for (const reload of [false, true]) {
        if (reload) await page.reload()
        await shows('30 kg of grain make 24 kg of flour.')
        await shows('grind {"kilograms":30} → 24 kg of flour')
        expect(await page.locator('.prompt').allInnerTexts()).toEqual([
          'How much flour do 30 kg make?',
        ])
      }
    })
  })

  test('millrace init: Studio shows its agent, offers no demos, and keeps the answer over a reload', async () => {
    const app = await startNewApp('studio')
    await visit({ url: async () => app.url, stop: app.close }, async () => {
      await shows('without a model or a key')
      await ask('How much flour do 30 kg make?')
      for (const reload of [false, true]) {
        if (reload) await page.reload()
        await shows('30 kg of grain make 24 kg of flour.')
      }
      expect(await page.getByText('/demo').count()).toBe(0)
    })
  })
})
