import { registeredTexts, registeredWords } from './registered-secrets.ts'
import { createSecretScanner } from './secret-scanner.ts'
import type { Span } from './secret-shapes.ts'

/** Options of {@link redactText}. */
export interface RedactTextOptions {
  /** Whether long random-looking words are masked too. This can mask names and ids in foreign texts. */
  readonly masksTokens?: boolean
}

/** Masks secrets in a text: those registered in this process, those in `known`, and text that looks like a credential. */
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

/** Runs of characters that tokens consist of. A single character class keeps the search linear. */
const words = /[A-Za-z0-9_+/=.~-]{24,}/g

/** Ids of providers and of this library. They grant no access. */
const plainIds =
  /^(?:req|msg|msgbatch|toolu|srvtoolu|file|call|chatcmpl|resp|run|container|upload|img)[_-]/i

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i

/** Finds words that look random: long runs in which letters and digits alternate often. */
export function findRandomTokens(text: string): readonly Span[] {
  return Array.from(text.matchAll(words))
    .filter(([word]) => isRandom(word))
    .map(({ 0: word, index }) => ({ from: index, to: index + word.length }))
}

function isRandom(word: string): boolean {
  if (plainIds.test(word) || uuid.test(word)) return false
  return (word.match(/[A-Za-z0-9+]{20,}/g) ?? []).some(isRandomRun)
}

/** Minimum share of neighbours of different kinds. It is two in five for random base 36, almost half for hexadecimal, and low for names. */
const minTurnShare = 0.25

function isRandomRun(run: string): boolean {
  const digits = run.match(/\d/g)?.length ?? 0
  if (digits < 2 || digits === run.length) return false
  let turns = 0
  for (let at = 1; at < run.length; at++) if (kindOf(run, at) !== kindOf(run, at - 1)) turns++
  return turns >= run.length * minTurnShare
}

function kindOf(run: string, at: number): string {
  const code = run.charCodeAt(at)
  if (code < 0x3a) return 'digit'
  return code < 0x5b ? 'upper' : 'lower'
}
