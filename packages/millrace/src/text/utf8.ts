const encoder = new TextEncoder()
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** The longest JSON escape is `\uXXXX`. */
const LONGEST_ESCAPE = 6

/**
 * Finds the position at which to split JSON-escaped text between `start` and `end`, so that the first part takes at
 * most `scratch.length` bytes in UTF-8 and no code point or escape is split. [CHUNK-2] [CHUNK-3]
 */
export function cutEscaped(
  escaped: string,
  start: number,
  end: number,
  scratch: Uint8Array,
): number {
  // A unit takes at least one byte. A surrogate pair that the window splits cannot fit: it needs three more bytes.
  const window = escaped.slice(start, Math.min(end, start + scratch.length))
  const cut = start + encoder.encodeInto(window, scratch).read
  return cut === end ? end : beforeTornEscape(escaped, start, cut)
}

/**
 * Moves a split position back to the start of the escape that it would split.
 *
 *     say \u00e9 twice
 *            ^
 */
function beforeTornEscape(escaped: string, start: number, cut: number): number {
  const earliest = Math.max(start, cut - LONGEST_ESCAPE + 1)
  let last = cut - 1
  while (last >= earliest && escaped.charCodeAt(last) !== BACKSLASH) last--
  if (last < earliest || !startsEscape(escaped, start, last)) return cut
  const length = escaped.charCodeAt(last + 1) === LETTER_U ? LONGEST_ESCAPE : 2
  return last + length > cut ? last : cut
}

/** Checks whether a backslash starts an escape: an even number of backslashes precedes it. */
function startsEscape(escaped: string, start: number, backslash: number): boolean {
  let first = backslash
  while (first > start && escaped.charCodeAt(first - 1) === BACKSLASH) first--
  return (backslash - first) % 2 === 0
}

/** Returns the length of a text in UTF-8 bytes; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // A pair is two units and four bytes: the high unit has just added two, the low unit adds nothing.
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) index++
  }
  return bytes
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
