const BACKSLASH = 0x5c

/** Finds the quote that ends a JSON string, from a position where no escape is open; -1 if it has not come. */
export function findStringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, from, quote)) quote = text.indexOf('"', quote + 1)
  return quote
}

/** Whether an odd number of backslashes stands before a position, counted from where no escape is open. */
export function isEscaped(text: string, from: number, position: number): boolean {
  let first = position
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--
  return (position - first) % 2 === 1
}
