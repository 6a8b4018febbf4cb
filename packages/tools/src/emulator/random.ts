/** A repeatable random number generator. */
export type Random = ReturnType<typeof createRandom>

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Creates a generator whose numbers depend only on the seed (sfc32). */
export function createRandom(seed: string) {
  let a = hash(seed, 1)
  let b = hash(seed, 2)
  let c = hash(seed, 3)
  let counter = 1

  function next(): number {
    const sum = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }

  for (let round = 0; round < 12; round++) next() // until the three words are mixed
  return {
    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
    next,
    /** Returns an integer from `low` to `high`, both inclusive. */
    between: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
  }
}

/** Generates an id such as `msg_01…`. */
export function createId(prefix: string, random: Random): string {
  let id = `${prefix}_01`
  for (let count = 0; count < 22; count++) id += alphabet[random.between(0, alphabet.length - 1)]
  return id
}

/** Returns a short hash of a text; collisions are rare. */
export function hashText(text: string): string {
  return `${hash(text, 1)}/${hash(text, 2)}/${text.length}`
}

/** FNV-1a with a different start value for each word. */
function hash(text: string, word: number): number {
  let value = Math.imul(0x811c9dc5, word) | 0
  for (let position = 0; position < text.length; position++) {
    value = Math.imul(value ^ text.charCodeAt(position), 0x01000193)
  }
  return value
}
