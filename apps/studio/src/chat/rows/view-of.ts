/** What part of a list is in view, from its beginning. */
export interface ListView {
  readonly top: number
  readonly bottom: number
}

/** What part of a list is in view of the area that it scrolls in. */
export function viewOf(list: HTMLElement | null, scroll: HTMLElement | null): ListView | undefined {
  if (!list || !scroll) return undefined
  const top = -placeOf(list, scroll)
  return { top, bottom: top + scroll.clientHeight }
}

/** Where a list begins, seen from the top of what is in view. */
export function placeOf(list: HTMLElement, scroll: HTMLElement): number {
  return list.getBoundingClientRect().top - scroll.getBoundingClientRect().top
}
