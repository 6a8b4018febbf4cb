import type { Page } from 'playwright-core'
import type { PageContent } from './content.ts'
import type { Stage } from './stage.ts'

/** A page that shows a stream, and the functions that drive it. */
export interface PageKind {
  readonly name: string
  address(stage: Stage): string
  /** Brings the page to the point at which a key or a click starts the stream. */
  prepare(page: Page): Promise<void>
  start(page: Page): Promise<void>
  /** Waits until the page shows everything, and throws if it shows something else; returns the number of renders, if reported. */
  finish(page: Page, content: PageContent): Promise<number | undefined>
}

/** Studio, as `npm start` serves it. */
export const studio: PageKind = {
  name: 'Studio',
  address: ({ studioUrl }) => studioUrl,
  prepare: (page) => page.getByLabel('Your message').fill('go'),
  start: (page) => page.keyboard.press('Enter'),
  finish: async (page) => {
    await page.getByTestId('connection').filter({ hasText: 'Ready' }).waitFor()
    return undefined
  },
}

/** A page that reads the same bytes and shows nothing. */
export const floor: PageKind = {
  ...barePage('reading alone', 'floor.html'),
  finish: async (page) => {
    await page.locator('[data-state="done"]').waitFor()
    return undefined
  },
}

/** The ways in which pages of the bench render content. */
export type Look = 'markdown' | 'plain'

/** A page with our hooks, which render for each frame unless a throttle is configured. */
export function millracePage(look: Look, throttleMs = 0): PageKind {
  const name = throttleMs > 0 ? `millrace/react at ${throttleMs} ms` : 'millrace/react'
  return barePage(`${name}, ${look}`, `millrace.html?as=${look}&throttle=${throttleMs}`)
}

/**
 * The same page with the hook of the AI SDK, which renders for each delta unless a throttle is
 * configured.
 */
export function chatPage(look: Look, throttleMs = 0): PageKind {
  const name = throttleMs > 0 ? `useChat at ${throttleMs} ms` : 'useChat'
  return barePage(`${name}, ${look}`, `chat.html?as=${look}&throttle=${throttleMs}`)
}

function barePage(name: string, path: string): PageKind {
  return {
    name,
    address: ({ pagesUrl }) => `${pagesUrl}/${path}`,
    prepare: (page) => page.getByRole('button').focus(),
    start: (page) => page.keyboard.press('Enter'),
    finish: async (page, { length }) => {
      await page.locator('[data-state="done"]').waitFor()
      const read = (field: string) => page.locator('main').getAttribute(`data-${field}`)
      const shown = Number(await read('length'))
      if (shown !== length) throw new Error(`${name} shows ${shown} characters of ${length}`)
      return Number(await read('renders'))
    },
  }
}
