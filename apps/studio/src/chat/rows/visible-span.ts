import type { Span } from './row-window.ts'

/** Returns the offset of an element from the top of its scrolling area. */
export function placeOf(element: Element, scroll: Element): number {
  return element.getBoundingClientRect().top - scroll.getBoundingClientRect().top
}

/** Returns the visible part of a list; undefined while the area is hidden. */
export function visibleSpanOf(
  list: HTMLElement | null,
  scroll: HTMLElement | null,
): Span | undefined {
  if (!list || !scroll || scroll.clientHeight === 0) return undefined
  const top = -placeOf(list, scroll)
  return { top, bottom: top + scroll.clientHeight }
}
