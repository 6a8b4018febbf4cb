import { createRandom, type Random } from './random.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Tells signatures of the emulator from those of the real API, which it cannot check. */
const mark = 'EmuL'

const secretLength = 64

/** The signature of a thinking block: the same text always has the same one. */
export function signThinking(thinking: string): string {
  return mark + drawText(createRandom(thinking), 148)
}

/** Tells whether a thinking block came back otherwise than it was sent. */
export function isAltered(thinking: unknown, signature: unknown): boolean {
  if (typeof thinking !== 'string' || typeof signature !== 'string') return true
  if (signature === '') return true
  return signature.startsWith(mark) && signature !== signThinking(thinking)
}

/** What stands for thinking that the API keeps to itself: a secret and its signature. */
export function redactThinking(random: Random): string {
  const secret = mark + drawText(random, secretLength)
  return secret + signThinking(secret)
}

/** Tells whether redacted thinking came back otherwise than it was sent. */
export function isRedactionAltered(data: unknown): boolean {
  if (typeof data !== 'string' || data === '') return true
  const end = mark.length + secretLength
  return data.startsWith(mark) && data.slice(end) !== signThinking(data.slice(0, end))
}

function drawText(random: Random, length: number): string {
  let text = ''
  while (text.length < length) text += alphabet[random.between(0, alphabet.length - 1)]
  return text
}
