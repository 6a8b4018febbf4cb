import { replaceEvery, incompleteMatch } from './replace-every.ts'

const named: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
}

const REFERENCE = /&(?:(amp|apos|gt|lt|quot)|#(\d{1,8})|#[xX]([0-9a-fA-F]{1,6}));/g
const LAST_CODE_POINT = 0x10ffff

const incompleteReference = incompleteMatch(/&#?\w*$/)

/** Decodes the five named and the numeric references, each exactly once; all others are kept. [XML-6] */
export function decodeEntities(text: string): string {
  return text.includes('&')
    ? replaceEvery(text, REFERENCE, decodeReference, incompleteReference)
    : text
}

function decodeReference(reference: string, ...groups: (string | undefined)[]): string {
  const [name, decimal, hex] = groups
  if (name !== undefined) return named[name] ?? reference
  const codePoint = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return codePoint > LAST_CODE_POINT ? reference : String.fromCodePoint(codePoint)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

/** Escapes the five special characters of an attribute, like the old encoder. [XML-18] */
export function encodeEntities(text: string): string {
  return replaceEvery(text, /[&<>"']/g, (character) => escapes[character] ?? character)
}

/** Encodes one UTF-16 unit, which may be a lone surrogate, as a numeric reference. */
export function encodeReference(unit: string): string {
  return `&#${unit.charCodeAt(0)};`
}
