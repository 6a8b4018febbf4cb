import { registeredTexts, registeredWords } from './registered-secrets.ts'
import { findRandomTokens } from './random-tokens.ts'
import { createSecretScanner } from './secret-scanner.ts'
import type { Span } from './secret-shapes.ts'

/** Options of {@link redactText}. */
export interface RedactTextOptions {
  /** Whether long random-looking words are masked too. This can mask names and ids in foreign texts. */
  readonly masksTokens?: boolean
}

/**
 * Masks secrets in a text: those registered in this process, those in `known`, and text that looks like a credential.
 */
export function redactText(
  text: string,
  known: readonly string[] = [],
  { masksTokens = false }: RedactTextOptions = {},
): string {
  const units = text.split('')
  const mask = (from: number, to: number): void => void units.fill('*', from, to)
  const scanner = createSecretScanner({ known: [...known, ...registeredWords()], mask })
  for (let at = 0; at < text.length; at++) scanner.feed(text.charCodeAt(at), at, at + 1)
  scanner.flush()
  for (const { from, to } of findTexts(text, [...known, ...registeredTexts()])) mask(from, to)
  if (masksTokens) for (const { from, to } of findRandomTokens(text)) mask(from, to)
  return units.join('')
}

function findTexts(text: string, secrets: readonly string[]): readonly Span[] {
  return secrets.flatMap((secret) => {
    const spans: Span[] = []
    if (secret === '') return spans
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      spans.push({ from: at, to: at + secret.length })
    }
    return spans
  })
}
