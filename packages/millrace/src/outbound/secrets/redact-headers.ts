import type { PlainHeaders } from '../plain-headers.ts'
import { redactText } from './redact-text.ts'
import { isHarmlessHeader, isSecretHeader } from './secret-names.ts'
import { looksLikeToken } from './secret-shapes.ts'

/** What stands for a value that was not kept. */
export const redactedValue = 'redacted'

/** Removes credentials, identities and whatever looks like a token from headers. */
export function redactHeaders(headers: PlainHeaders, known: readonly string[] = []): PlainHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactHeader(name, value, known)]),
  )
}

function redactHeader(name: string, value: string, known: readonly string[]): string {
  if (isSecretHeader(name.toLowerCase())) return redactedValue
  const safe = redactText(value, known)
  return isHarmlessHeader(name.toLowerCase()) ? safe : coverTokens(safe)
}

/** Covers every word of a text that looks like a token. */
export function coverTokens(text: string): string {
  return text.replace(/[\w+/.~%=-]+/g, (word) =>
    looksLikeToken(word) ? '*'.repeat(word.length) : word,
  )
}
