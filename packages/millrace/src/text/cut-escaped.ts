const encoder = new TextEncoder()
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** `\uXXXX`, the longest escape of JSON. */
const LONGEST_ESCAPE = 6

/**
 * Finds where to cut JSON-escaped text that starts at `start` and ends before `end`, so that the piece takes
 * at most `scratch.length` bytes in UTF-8 and tears neither a code point nor an escape. [CHUNK-2] [CHUNK-3]
 */
export function cutEscaped(
  escaped: string,
  start: number,
  end: number,
  scratch: Uint8Array,
): number {
  // A unit takes at least one byte, and a pair that the window tears cannot fit: it would need three more.
  const window = escaped.slice(start, Math.min(end, start + scratch.length))
  const cut = start + encoder.encodeInto(window, scratch).read
  return cut === end ? end : beforeTornEscape(escaped, start, cut)
}

/**
 * Moves a cut back to the start of the escape that it would tear.
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

/** A backslash starts an escape if an even number of backslashes stands before it. */
function startsEscape(escaped: string, start: number, backslash: number): boolean {
  let first = backslash
  while (first > start && escaped.charCodeAt(first - 1) === BACKSLASH) first--
  return (backslash - first) % 2 === 0
}
