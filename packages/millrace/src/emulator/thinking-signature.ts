import { createRandom } from './random.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Tells signatures of the emulator from those of the real API, which it cannot check. */
const mark = 'EmuL'

/** The signature of a thinking block: the same text always has the same one. */
export function signThinking(thinking: string): string {
  const random = createRandom(thinking)
  let signature = mark
  while (signature.length < 152) signature += alphabet[random.between(0, alphabet.length - 1)]
  return signature
}

/** Tells whether a thinking block came back otherwise than it was sent. */
export function isAltered(thinking: unknown, signature: unknown): boolean {
  if (typeof thinking !== 'string' || typeof signature !== 'string') return true
  return signature.startsWith(mark) && signature !== signThinking(thinking)
}
