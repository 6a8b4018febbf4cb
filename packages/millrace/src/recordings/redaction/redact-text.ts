import { createSecretScanner } from './secret-scanner.ts'

/** Covers the secrets in a short text, such as the value of a header. */
export function redactText(text: string, known: readonly string[] = []): string {
  const units = text.split('')
  const scanner = createSecretScanner({ known, cover: (from, to) => units.fill('*', from, to) })
  for (let at = 0; at < text.length; at++) scanner.feed(text.charCodeAt(at), at, at + 1)
  scanner.settle()
  return units.join('')
}
