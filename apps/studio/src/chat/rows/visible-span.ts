import type { Span } from './row-window.ts'

/** Where an element begins, seen from the top of the area that it scrolls in. */
export function placeOf(element: Element, scroll: Element): number {
  return element.getBoundingClientRect().top - scroll.getBoundingClientRect().top
}

/** What part of a list is in view of the area that it scrolls in; undefined while that is not shown. */
export function visibleSpanOf(
  list: HTMLElement | null,
  scroll: HTMLElement | null,
): Span | undefined {
  if (!list || !scroll || scroll.clientHeight === 0) return undefined
  const top = -placeOf(list, scroll)
  return { top, bottom: top + scroll.clientHeight }
}
