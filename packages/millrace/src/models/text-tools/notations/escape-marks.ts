import type { JsonValue } from '../../../json/index.ts'

/** Encodes a value as JSON in which each of the one-character marks is escaped. */
export function toEscapedJson(value: JsonValue, marks: RegExp): string {
  return JSON.stringify(value).replace(marks, toEscape)
}

/** Escapes text so that none of it reads as a tag whose `<` the marks find. */
export function toEscapedText(text: string, marks: RegExp): string {
  return text.replace(marks, '&lt;')
}

/** Escapes text for double quotes in a tag. */
export function toAttribute(text: string): string {
  return text.replace(/[&"<]/g, (character) => references[character] ?? character)
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
