/** Moves cuts within a surrogate pair behind it, for implementations whose texts are code points. */
export function* keepPairs(pieces: Iterable<string>): Generator<string> {
  let held = ''
  for (const piece of pieces) {
    const text = held + piece
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
    held = text.slice(end)
    if (end > 0 || piece === '') yield text.slice(0, end)
  }
  if (held !== '') yield held
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
