import type { JsonValue } from '../../json/index.ts'

/** JSON in which nothing reads as one of the marks, each of them one character: they become escapes. */
export function toQuietJson(value: JsonValue, marks: RegExp): string {
  return JSON.stringify(value).replace(marks, toEscape)
}

/** Text in which nothing reads as one of the tags whose `<` the marks find. */
export function toQuietText(text: string, marks: RegExp): string {
  return text.replace(marks, '&lt;')
}

/** Text that may stand between double quotes in a tag. */
export function toAttribute(text: string): string {
  return text.replace(/[&"<]/g, (character) => references[character] ?? character)
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
