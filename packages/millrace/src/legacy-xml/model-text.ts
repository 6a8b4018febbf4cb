import { escapeUnit } from './backslashes.ts'
import { END_OF_STREAM } from './last-word.ts'
import { replaceEvery } from './replace-every.ts'
import { isTagName, MAX_NAME_LENGTH } from './tags.ts'

// With the `u` flag the range matches lone surrogates only; they would not survive UTF-8 as they are.
const UNSAFE = new RegExp(
  `<\\/?(!\\[CDATA\\[|[\\w:.-]{0,${MAX_NAME_LENGTH + 1}})|[\\\\\\n\\r\\ud800-\\udfff]`,
  'gu',
)
const SECTION = '![CDATA['

/** Writes the text of one block as its deltas come. [XML-17] */
export interface ModelText {
  /** Takes the next delta; gives the text that can be sent by now, which may be empty. */
  add(delta: string): string
  /** Gives what was held back. */
  end(): string
}

/**
 * Creates the writer of one block's text: a `<` is escaped only before the name of a tag. The end of the text that may
 * still become such a name, or the second half of a surrogate pair, is held back until the next delta.
 */
export function createModelText(): ModelText {
  let held = ''
  return {
    add(delta) {
      const text = held + delta
      const end = undecidedFrom(text)
      held = text.slice(end)
      return escapeText(text.slice(0, end))
    },
    end() {
      const rest = held
      held = ''
      return escapeText(rest)
    },
  }
}

function escapeText(text: string): string {
  return text === END_OF_STREAM
    ? '\\u005bDONE]'
    : replaceEvery(text, UNSAFE, escapeOne, undecidedFrom)
}

function escapeOne(unsafe: string, name?: string): string {
  if (name === undefined) return escapeUnit(unsafe)
  const isTag = name === SECTION || name.length > MAX_NAME_LENGTH || isTagName(name)
  return isTag ? `${escapeUnit('<')}${unsafe.slice(1)}` : unsafe
}

/** `</` and a name of the greatest length. */
const LONGEST_UNDECIDED = MAX_NAME_LENGTH + 2
const UNDECIDED = /(?:<(?:\/?[\w:.-]*|!\[?C?D?A?T?A?)|[\ud800-\udbff])$/

/**
 * Tells where the end of the text begins that the next character may turn into a tag or a pair, or the text's length.
 *
 *     if a <conte
 *          ^
 */
function undecidedFrom(text: string): number {
  const tail = text.slice(-LONGEST_UNDECIDED)
  const start = tail.search(UNDECIDED)
  return start < 0 ? text.length : text.length - tail.length + start
}
