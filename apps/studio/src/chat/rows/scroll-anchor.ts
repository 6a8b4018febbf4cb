import { endFollowingAreas } from '../../ui/index.ts'
import { placeOf } from './visible-span.ts'

/** Keeps the content in view in place while content above it changes. */
export interface ScrollAnchor {
  /** Records the row in view. */
  record(): void
  /** Scrolls by the distance that the row has moved, without the user's own scrolling. */
  restore(): void
}

/** Most browsers anchor the scroll position natively. */
const anchorsNatively = typeof CSS !== 'undefined' && CSS.supports('overflow-anchor', 'auto')
const none: ScrollAnchor = { record: () => {}, restore: () => {} }
const anchors = new WeakMap<HTMLElement, ScrollAnchor>()

/** Returns the anchor of a scrolling area. All lists in it share one, so that a movement is corrected once. */
export function scrollAnchorOf(scroll: HTMLElement): ScrollAnchor {
  if (anchorsNatively) return none
  const found = anchors.get(scroll) ?? createScrollAnchor(scroll)
  anchors.set(scroll, found)
  return found
}

function createScrollAnchor(scroll: HTMLElement): ScrollAnchor {
  let anchor: { readonly row: Element; readonly offset: number } | undefined
  /** Returns the offset of a row in the scrolled content, independent of the scroll position. */
  const offsetOf = (row: Element): number => placeOf(row, scroll) + scroll.scrollTop
  const record = (): void => {
    const row = findFirstInView(scroll)
    anchor = row && { row, offset: offsetOf(row) }
  }
  return {
    record,
    restore() {
      const moved = anchor?.row.isConnected ? offsetOf(anchor.row) - anchor.offset : 0
      if (Math.abs(moved) >= 0.5 && !endFollowingAreas.has(scroll)) scroll.scrollTop += moved
      record()
    },
  }
}

/** Returns the first row that begins in view, or the innermost one that fills it. */
function findFirstInView(scroll: HTMLElement): Element | undefined {
  let filling: Element | undefined
  for (const row of scroll.querySelectorAll('[data-row]')) {
    const place = placeOf(row, scroll)
    if (place >= scroll.clientHeight) break
    if (place >= 0) return row
    if (place + row.getBoundingClientRect().height > 0) filling = row
  }
  return filling
}
