const NAME = 'found'
/** The number of matches that are highlighted. */
const MAX_MARKED = 1_000

/** Highlights each match in a row, ignoring case, if the browser supports it. */
export function markMatches(row: Element | undefined, text: string): void {
  if (typeof Highlight === 'undefined') return
  const ranges = row ? findRanges(row, text.trim().toLowerCase()) : []
  CSS.highlights.set(NAME, new Highlight(...ranges))
}

/** Removes the highlights. */
export function clearMatches(): void {
  if (typeof Highlight !== 'undefined') CSS.highlights.delete(NAME)
}

function findRanges(row: Element, wanted: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && wanted !== ''; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    // Some letters have another length in lower case, which would shift later matches.
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
