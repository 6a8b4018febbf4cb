import type { Page } from 'playwright-core'

/** Jumps to parts of a conversation; returns those at which the next frame is empty instead of rows. */
export function findBlanks(page: Page, parts: readonly number[]): Promise<string[]> {
  return page.evaluate(async (places) => {
    const scroll = document.querySelector('.chat-scroll')
    if (!scroll) return ['nothing scrolls']
    const isBlank = (): boolean => {
      const view = scroll.getBoundingClientRect()
      return [...scroll.querySelectorAll('.row-space')].some((space) => {
        const { top, bottom } = space.getBoundingClientRect()
        return bottom > view.top + 1 && top < view.bottom - 1
      })
    }
    const found: string[] = []
    for (const part of places) {
      scroll.scrollTop = part * (scroll.scrollHeight - scroll.clientHeight)
      await new Promise(requestAnimationFrame)
      if (isBlank()) found.push(`at ${part}`)
      // As with a pointer, the view moves between two frames.
      await new Promise((resolve) => setTimeout(resolve))
    }
    return found
  }, parts)
}
