import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = new URL('../../../../../test-results/studio/', import.meta.url)

/** Saves a screenshot of a page for inspection after a run of the tests; git ignores it. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`${name.replaceAll(/[^\w]+/g, '-')}.png`, folder))
  await page.screenshot({ path, animations: 'disabled' })
}
