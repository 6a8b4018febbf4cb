import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openPages } from './chromium.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

/** An error in the form of vitest. */
interface ReportedError {
  message: string
  stack?: string
}

/** Saves a screenshot and the console of every open page, and returns their folder, or nothing if no page is open. */
export async function keepEvidence(testName: string): Promise<string | undefined> {
  const pages = openPages()
  if (pages.length === 0) return undefined
  const folder = join(root, 'test-results/failed', toFileName(testName))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all(pages.map((page, index) => savePage(page, join(folder, `page-${index + 1}`))))
  return relative(root, folder)
}

/** Names the folder in the message of an error, below its first line: reports show only the first lines. */
export function nameFolder(error: ReportedError, folder: string): void {
  const [first = '', ...rest] = error.message.split('\n')
  const named = [first, `Screenshots and consoles of the pages: ${folder}`, ...rest].join('\n')
  if (error.stack !== undefined) error.stack = error.stack.replace(error.message, () => named)
  error.message = named
}

/** Saves the content and the console of a page; an unresponsive page is recorded in its log. */
async function savePage(page: Page, path: string): Promise<void> {
  const lines = [page.url()]
  const save = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => lines.push(`Not saved: ${String(error)}`))
  }
  await save(async () => {
    const messages = await page.consoleMessages()
    lines.push(...messages.map((message) => `${message.type()}: ${message.text()}`))
    const errors = await page.pageErrors()
    lines.push(...errors.map((error) => `uncaught: ${error.stack ?? error.message}`))
  })
  await save(() => page.screenshot({ path: `${path}.png`, timeout: 10_000 }))
  await writeFile(`${path}.txt`, `${lines.join('\n')}\n`)
}

/** Shortens a name to a length that every file system accepts. */
const toFileName = (name: string): string =>
  name
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 120)
