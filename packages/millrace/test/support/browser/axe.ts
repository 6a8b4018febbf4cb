import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

interface Judge {
  run(where: string): Promise<{
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly failureSummary: string }[]
    }[]
  }>
}

/** Returns the findings of axe for a part of a page, once its colours have settled. */
export async function findFaults(page: Page, where: string): Promise<string[]> {
  const source = createRequire(import.meta.url).resolve('axe-core')
  // The page's policy would refuse an inserted script.
  await page.evaluate(await readFile(source, 'utf8'))
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
  )
  return page.evaluate(async (selector) => {
    const { axe } = globalThis as unknown as { readonly axe: Judge }
    const { violations } = await axe.run(selector)
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.failureSummary}`)
  }, where)
}
