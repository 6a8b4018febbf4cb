import type { PlainHeaders } from '../plain-headers.ts'
import { isCredentialName, isSecretHeader, isSecretParameter } from './secret-names.ts'

/** Says who asked or by which way; such values are everywhere and hide nothing. */
const commonHeaders = /forwarded|^via$|^proxy-(?!auth)|ip$|user|project/

/** The most that are looked for in every word of a body. */
const maxKnown = 64

/** What is shorter may be a part of any word. */
const minKnownChars = 8

/**
 * Collects what this exchange shows to be secret: the credentials in headers and query, which an answer or a
 * prompt might repeat in a shape that nobody knows.
 */
export function collectKnownSecrets(headers: PlainHeaders, path = ''): string[] {
  const query = path.includes('?') ? path.slice(path.indexOf('?') + 1) : ''
  const pairs = [
    ...Object.entries(headers).filter(([name]) => isTellingHeader(name.toLowerCase())),
    ...[...new URLSearchParams(query)].filter(([name]) => isSecretParameter(name)),
  ]
  const words = pairs.flatMap(([name, value]) => wordsOf(name, value))
  return [...new Set(words.flatMap(variants))].slice(0, maxKnown)
}

function isTellingHeader(name: string): boolean {
  return isSecretHeader(name) && !commonHeaders.test(name)
}

/** One word, or one behind its scheme, is the credential itself; of several, those that look like one. */
function wordsOf(name: string, value: string): string[] {
  const words = value.match(/[\w+/.~%-]+/g) ?? []
  const sole = /^\s*(?:[A-Za-z]+\s+)?([\w+/.~%-]+)=*\s*$/.exec(value)?.[1]
  const credential = isCredentialName(name) ? sole : undefined
  return words.filter((word) => isTelling(word) || word === credential).filter(isLongEnough)
}

/** `Bearer`, `SignedHeaders` and `x-amz-date` are words, not secrets. */
function isTelling(word: string): boolean {
  return word.length >= 20 || /\d/.test(word)
}

function isLongEnough({ length }: string): boolean {
  return length >= minKnownChars
}

function variants(word: string): string[] {
  return [word, encodeURIComponent(word)]
}
