import { endFollowingAreas } from '../../ui/index.ts'
import { placeOf } from './visible-span.ts'

/** Keeps what is in view where it is while something above it changes. */
export interface ScrollAnchor {
  /** Notes what is in view. */
  note(): void
  /** Scrolls by as much as that has moved since, save what was scrolled meanwhile. */
  hold(): void
}

/** Most browsers hold what is in view by themselves. */
const anchorsNatively = typeof CSS !== 'undefined' && CSS.supports('overflow-anchor', 'auto')
const none: ScrollAnchor = { note: () => {}, hold: () => {} }
const holders = new WeakMap<HTMLElement, ScrollAnchor>()

/** The holder of a scrolled area: one for all lists in it, since what one of them makes up for, no other must. */
export function scrollAnchorOf(scroll: HTMLElement): ScrollAnchor {
  if (anchorsNatively) return none
  const holder = holders.get(scroll) ?? createScrollAnchor(scroll)
  holders.set(scroll, holder)
  return holder
}

function createScrollAnchor(scroll: HTMLElement): ScrollAnchor {
  let anchor: { readonly row: Element; readonly offset: number } | undefined
  /** Where a row is in all that scrolls, which scrolling does not change. */
  const offsetOf = (row: Element): number => placeOf(row, scroll) + scroll.scrollTop
  const note = (): void => {
    const row = findFirstInView(scroll)
    anchor = row && { row, offset: offsetOf(row) }
  }
  return {
    note,
    hold() {
      const moved = anchor?.row.isConnected ? offsetOf(anchor.row) - anchor.offset : 0
      if (Math.abs(moved) >= 0.5 && !endFollowingAreas.has(scroll)) scroll.scrollTop += moved
      note()
    },
  }
}

/** The first row that begins in view, or else the innermost one that fills it. */
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
