import { createRandom, type Random } from './random.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Prefix of the emulator's signatures; it cannot check those of the real API. */
const mark = 'EmuL'
const secretLength = 64

/** Returns the signature of a thinking block; equal texts have equal signatures. */
export function signThinking(thinking: string): string {
  return mark + drawText(createRandom(thinking), 148)
}

/** Checks whether a thinking block was changed by the client. */
export function isAltered(thinking: unknown, signature: unknown): boolean {
  if (typeof thinking !== 'string' || typeof signature !== 'string') return true
  if (signature === '') return true
  return signature.startsWith(mark) && signature !== signThinking(thinking)
}

/** Generates the data of redacted thinking: a secret and its signature. */
export function redactThinking(random: Random): string {
  const secret = mark + drawText(random, secretLength)
  return secret + signThinking(secret)
}

/** Checks whether redacted thinking was changed by the client. */
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
