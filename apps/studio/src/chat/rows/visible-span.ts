/** Where an element begins, seen from the top of the area that it scrolls in. */
export function placeOf(element: Element, scroll: Element): number {
  return element.getBoundingClientRect().top - scroll.getBoundingClientRect().top
}
