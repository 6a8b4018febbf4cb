import type { Span } from './secret-shapes.ts'

/** Runs of characters in which tokens are written; a single class, so the search is linear. */
const words = /[A-Za-z0-9_+/=.~-]{24,}/g

/** Ids that providers and this library print and that grant nothing. */
const plainIds =
  /^(?:req|msg|msgbatch|toolu|srvtoolu|file|call|chatcmpl|resp|run|container|upload|img)[_-]/i

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i

/** Finds words that look random: long runs of letters and digits without the rhythm of language. */
export function findRandomTokens(text: string): readonly Span[] {
  return Array.from(text.matchAll(words))
    .filter(([word]) => isRandom(word))
    .map(({ 0: word, index }) => ({ from: index, to: index + word.length }))
}

function isRandom(word: string): boolean {
  if (plainIds.test(word) || uuid.test(word)) return false
  return (word.match(/[A-Za-z0-9+]{20,}/g) ?? []).some(isRandomRun)
}

/** In random base 36 two of five neighbours differ in kind, in hexadecimal almost half; in names few do. */
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
