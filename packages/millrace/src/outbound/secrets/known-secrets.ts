import type { PlainHeaders } from './redact-headers.ts'
import { isCredentialName, isSecretHeader, isSecretParameter } from './secret-names.ts'

/** Headers that identify the caller or the route. Their values are common and not confidential. */
const commonHeaders = /forwarded|^via$|^proxy-(?!auth)|ip$|user|project/

/** Maximum number of known secrets that each word of a body is compared with. */
const maxKnown = 64

/** Minimum length of a known secret. A shorter value may be part of any word. */
const minKnownChars = 8

/**
 * Collects the credentials in the headers and the query of a request. A response or a prompt may repeat them in a
 * form that no pattern matches.
 */
export function collectKnownSecrets(headers: PlainHeaders, path = ''): string[] {
  const query = path.includes('?') ? path.slice(path.indexOf('?') + 1) : ''
  const pairs = [
    ...Object.entries(headers).filter(([name]) => isCredentialHeader(name.toLowerCase())),
    ...[...new URLSearchParams(query)].filter(([name]) => isSecretParameter(name)),
  ]
  const words = pairs.flatMap(([name, value]) => wordsOf(name, value))
  return [...new Set(words.flatMap(variants))].slice(0, maxKnown)
}

function isCredentialHeader(name: string): boolean {
  return isSecretHeader(name) && !commonHeaders.test(name)
}

/** Returns the words of a value that are credentials: a single word, also after a scheme, or all words that look like one. */
function wordsOf(name: string, value: string): string[] {
  const words = value.match(/[\w+/.~%-]+/g) ?? []
  const sole = /^\s*(?:[A-Za-z]+\s+)?([\w+/.~%-]+)=*\s*$/.exec(value)?.[1]
  const credential = isCredentialName(name) ? sole : undefined
  return words
    .filter((word) => looksLikeCredential(word) || word === credential)
    .filter(isLongEnough)
}

/** Excludes plain words such as `Bearer`, `SignedHeaders` and `x-amz-date`. */
function looksLikeCredential(word: string): boolean {
  return word.length >= 20 || /\d/.test(word)
}

function isLongEnough({ length }: string): boolean {
  return length >= minKnownChars
}

function variants(word: string): string[] {
  return [word, encodeURIComponent(word)]
}
