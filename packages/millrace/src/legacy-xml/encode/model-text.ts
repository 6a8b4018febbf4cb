import { escapeUnit } from '../escaping/backslashes.ts'
import { END_OF_STREAM } from '../decode/stream-end.ts'
import { replaceEvery } from '../escaping/replace-every.ts'
import { isTagName, MAX_NAME_LENGTH } from '../tags.ts'

// With the `u` flag the range matches only lone surrogates, which UTF-8 cannot encode.
const UNSAFE = new RegExp(
  `<\\/?(!\\[CDATA\\[|[\\w:.-]{0,${MAX_NAME_LENGTH + 1}})|[\\\\\\n\\r\\ud800-\\udfff]`,
  'gu',
)
const SECTION = '![CDATA['

/** Escapes the text of one block, delta by delta. [XML-17] */
interface ModelText {
  /** Escapes the next delta; returns the text that is ready, which may be empty. */
  add(delta: string): string
  /** Returns the held text. */
  end(): string
}

/**
 * Creates the escaper of one block's text: a `<` is escaped only before the name of a tag. An end of the text that
 * may become such a name, or a surrogate pair, is held until the next delta.
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

/** Length of `</` and the longest name. */
const LONGEST_UNDECIDED = MAX_NAME_LENGTH + 2
const UNDECIDED = /(?:<(?:\/?[\w:.-]*|!\[?C?D?A?T?A?)|[\ud800-\udbff])$/

/**
 * Returns the start of the end of the text that the next character may complete to a tag or a pair, or the text's
 * length.
 * if a <conte
 * ^
 */
function undecidedFrom(text: string): number {
  const tail = text.slice(-LONGEST_UNDECIDED)
  const start = tail.search(UNDECIDED)
  return start < 0 ? text.length : text.length - tail.length + start
}
