import { redactText } from './redact-text.ts'
import { isHarmlessHeader, isSecretHeader } from './secret-names.ts'
import { looksLikeToken } from './secret-shapes.ts'

/** Headers by name, one value each. */
export type PlainHeaders = Readonly<Record<string, string>>

/** Replacement for a redacted value. */
export const redactedValue = 'redacted'

/** Redacts credentials, identities and tokens in headers. */
export function redactHeaders(headers: PlainHeaders, known: readonly string[] = []): PlainHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactHeader(name, value, known)]),
  )
}

function redactHeader(name: string, value: string, known: readonly string[]): string {
  if (isSecretHeader(name.toLowerCase())) return redactedValue
  const safe = redactText(value, known)
  return isHarmlessHeader(name.toLowerCase()) ? safe : maskTokens(safe)
}

/** Masks each word of a text that looks like a token. */
export function maskTokens(text: string): string {
  return text.replace(/[\w+/.~%=-]+/g, (word) =>
    looksLikeToken(word) ? '*'.repeat(word.length) : word,
  )
}
