import { isNamePart, isNameStart } from '../characters.ts'
import type { Mark } from '../format.ts'
import { MillraceError } from '../../errors/index.ts'

/** Rejects an empty marker, which would match everywhere. */
export function checkText(place: FormatPath, what: string, text: unknown): void {
  if (typeof text !== 'string') rejectFormat(place, `${what} must be a text.`)
  if (text === '')
    rejectFormat(place, `${what} is empty. Give it at least one character, or omit it.`)
}

/** Checks an optional list of markers. */
export function checkTexts(place: FormatPath, what: string, texts: readonly unknown[] = []): void {
  for (const text of texts) checkText(place, what, text)
}

/** Only ASCII letters ignore case: other case conversions change the length of a text. */
export function checkFolding(place: FormatPath, what: string, text: string, anyCase = false): void {
  if (anyCase && /\P{ASCII}/u.test(text))
    rejectFormat(
      place,
      `${what} "${text}" has letters beyond ASCII, which cannot be matched in any case. Omit anyCase.`,
    )
}

/** Checks the name of a tag by the parser's own rules. */
export function checkTag(place: FormatPath, what: string, tag: unknown, anyCase?: boolean): void {
  checkText(place, what, tag)
  const name = String(tag)
  const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index))
  if (!isNameStart(units[0] ?? 0) || !units.every(isNamePart))
    rejectFormat(
      place,
      `${what} "${name}" is not a tag name: it must begin with a letter, "_" or ":", and contain only letters, digits and "_:.-".`,
    )
  checkFolding(place, what, name, anyCase)
}

/** Checks the markers that close a block or occur in it. */
export function checkMarks(place: FormatPath, what: string, marks: readonly Mark[] = []): void {
  for (const mark of marks) checkMark(place, what, mark)
}

function checkMark(place: FormatPath, what: string, mark: Mark): void {
  if (typeof mark !== 'object') checkText(place, what, mark)
  else if ('anyCaseOf' in mark) {
    checkText(place, what, mark.anyCaseOf)
    checkFolding(place, what, mark.anyCaseOf, true)
  } else if ('endTag' in mark) checkTag(place, what, mark.endTag, mark.anyCase)
  else if ('startTag' in mark) checkTag(place, what, mark.startTag, mark.anyCase)
  else rejectFormat(place, `${what} must be a text, anyCaseOf, endTag or startTag.`)
}

/** Checks that a value is one of a list. */
export function checkChoice(
  place: FormatPath,
  what: string,
  value: unknown,
  choices: readonly string[],
): void {
  if (value !== undefined && !choices.includes(value as string))
    rejectFormat(
      place,
      `${what} is ${JSON.stringify(value)}. It must be one of: ${choices.join(', ')}.`,
    )
}

/** Returns the single key of an object, which determines its kind. */
export function checkKind(
  place: FormatPath,
  what: string,
  value: unknown,
  kinds: readonly string[],
): void {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (kinds.filter((kind) => keys.includes(kind)).length !== 1)
    rejectFormat(place, `${what} must have exactly one of: ${kinds.join(', ')}.`)
}

/** Rejects global and sticky patterns, which keep a position and would match only every other time. */
export function checkPattern(place: FormatPath, what: string, pattern: unknown): void {
  if (!(pattern instanceof RegExp)) rejectFormat(place, `${what} must be a regular expression.`)
  if (pattern.global || pattern.sticky)
    rejectFormat(place, `${what} ${String(pattern)} has the flag g or y. Remove the flag.`)
}

/** A position in a format, for errors. */
export interface FormatPath {
  readonly format: string
  /** Such as `block 2`. */
  readonly path: string
}

/** Returns the position of a part. */
export function within(place: FormatPath, part: string): FormatPath {
  return { ...place, path: place.path === '' ? part : `${place.path}, ${part}` }
}

/** Rejects a format; the problem includes the remedy. */
export function rejectFormat({ format, path }: FormatPath, problem: string): never {
  const where = path === '' ? '' : `, ${path}`
  throw new MillraceError('format_invalid', `Format "${format}"${where}: ${problem}`)
}
