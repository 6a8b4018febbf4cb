const NAME = 'found'
/** More are not marked: nobody looks at them one by one. */
const MAX_MARKED = 1_000

/** Marks each place of a row where a text stands, if the browser can; case does not matter. */
export function markMatches(row: Element | undefined, text: string): void {
  if (typeof Highlight === 'undefined') return
  const ranges = row ? findRanges(row, text.trim().toLowerCase()) : []
  CSS.highlights.set(NAME, new Highlight(...ranges))
}

/** Takes the marks away. */
export function clearMatches(): void {
  if (typeof Highlight !== 'undefined') CSS.highlights.delete(NAME)
}

function findRanges(row: Element, wanted: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && wanted !== ''; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    // A few letters are longer in the other case, and places behind them would be wrong.
    if (text.length !== node.nodeValue?.length) continue
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      if (ranges.length >= MAX_MARKED) return ranges
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  return ranges
}
