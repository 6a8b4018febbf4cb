// FIPS 180-4 derives its constants from primes. They are pure, so that bundlers leave them out of pages that hash nothing.
const constants = /* @__PURE__ */ fractions(64, (prime) => prime ** (1 / 3))
const initial = /* @__PURE__ */ fractions(8, (prime) => Math.sqrt(prime))

/**
 * Computes SHA-256 as lower-case hex. `crypto.subtle` is asynchronous and, in browsers, limited to HTTPS and
 * localhost. The hash of a call must not depend on either.
 */
export function sha256(bytes: Uint8Array): string {
  const padded = pad(bytes)
  const view = new DataView(padded.buffer)
  const hash = initial.slice()
  const words = new Uint32Array(64)
  for (let start = 0; start < padded.length; start += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(start + at * 4)
    mix(hash, words)
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** Appends a 1 bit, zeros, and the length in bits, up to a multiple of 64 bytes. */
function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  return padded
}

/** Expands the 16 words of one block in place and adds the block to the hash. */
function mix(hash: Uint32Array, words: Uint32Array): void {
  for (let at = 16; at < 64; at++) {
    const early = words[at - 15]!
    const late = words[at - 2]!
    const low = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3)
    const high = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10)
    words[at] = words[at - 16]! + low + words[at - 7]! + high
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as Word8
  for (let at = 0; at < 64; at++) {
    const chosen = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const one =
      h +
      (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
      chosen +
      constants[at]! +
      words[at]!
    const two = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) hash[at]! += word
}

type Word8 = [number, number, number, number, number, number, number, number]

function rotateRight(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

/** Returns the first 32 bits of the fractional parts of roots of the first primes. */
function fractions(count: number, rootOf: (prime: number) => number): Uint32Array {
  return Uint32Array.from(firstPrimes(count), (prime) => ((rootOf(prime) % 1) * 2 ** 32) >>> 0)
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}
