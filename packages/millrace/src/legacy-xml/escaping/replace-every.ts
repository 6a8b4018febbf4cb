/**
 * The engine collects every match of a text before it replaces the first. With a large collection, twice the text
 * takes more than twice the time; windows of this many units keep it small.
 */
const WINDOW_LENGTH = 8192

/** Maximum length of a match that a window could split. */
const LONGEST_MATCH = 16

/** Returns the start of a match that the end of the text may have cut, or the text's length. */
type IncompleteStart = (text: string) => number

/** Creates an {@link IncompleteStart} from a pattern of the incomplete match, which must end with `$`. */
export function incompleteMatch(pattern: RegExp): IncompleteStart {
  return (text) => {
    const tail = text.slice(-LONGEST_MATCH)
    const start = tail.search(pattern)
    return start < 0 ? text.length : text.length - tail.length + start
  }
}

/** For patterns that check whether a surrogate is alone. */
export const incompletePair = incompleteMatch(/[\ud800-\udbff]$/)

/** Replaces every match of a global pattern, in time linear in the text. */
export function replaceEvery(
  text: string,
  pattern: RegExp,
  replace: (match: string, ...groups: (string | undefined)[]) => string,
  incompleteStart: IncompleteStart = (window) => window.length,
): string {
  if (text.length <= WINDOW_LENGTH) return text.replace(pattern, replace)
  const parts: string[] = []
  let at = 0
  while (at < text.length) {
    const end = Math.min(text.length, at + WINDOW_LENGTH)
    const window = text.slice(at, end)
    const whole = end === text.length ? window : window.slice(0, incompleteStart(window))
    parts.push(whole.replace(pattern, replace))
    at += whole.length
  }
  return parts.join('')
}
