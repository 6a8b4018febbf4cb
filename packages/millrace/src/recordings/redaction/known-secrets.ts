import type { RecordedHeaders } from '../recording.ts'
import { isSecretHeader, isSecretParameter } from './secret-names.ts'

/** Says who asked or by which way; such values are everywhere and hide nothing. */
const commonHeaders = /forwarded|^via$|^proxy-(?!auth)|ip$|user|project/

/** The most that are looked for in every word of a body. */
const maxKnown = 64

/**
 * Collects what this exchange shows to be secret: the credentials in headers and query, which an answer or a
 * prompt might repeat in a shape that nobody knows.
 */
export function collectKnownSecrets(headers: RecordedHeaders, path = ''): string[] {
  const values = Object.entries(headers)
    .filter(([name]) => isSecretHeader(name.toLowerCase()))
    .filter(([name]) => !commonHeaders.test(name.toLowerCase()))
    .map(([, value]) => value)
  const query = path.includes('?') ? path.slice(path.indexOf('?') + 1) : ''
  for (const [name, value] of new URLSearchParams(query)) {
    if (isSecretParameter(name)) values.push(value)
  }
  const words = values.flatMap((value) => value.match(/[\w+/.~%-]+/g) ?? [])
  return [...new Set(words.filter(isTelling).flatMap(variants))].slice(0, maxKnown)
}

/** `Bearer`, `SignedHeaders` and `x-amz-date` are words, not secrets. */
function isTelling(word: string): boolean {
  return word.length >= 20 || (word.length >= 8 && /\d/.test(word))
}

function variants(word: string): string[] {
  return [word, encodeURIComponent(word)]
}
