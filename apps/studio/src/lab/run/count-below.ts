/** Counts the items, sorted by key, with a key below a bound. */
export function countBelow<Item>(
  items: readonly Item[],
  bound: number,
  keyOf: (item: Item) => number,
): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && keyOf(item) < bound) low = middle + 1
    else high = middle
  }
  return low
}
