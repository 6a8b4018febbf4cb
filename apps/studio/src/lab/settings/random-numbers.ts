/** Creates a generator of pseudo-random numbers from 0 to 1 with a seed. */
export function createRandomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    // A counter with mixed bits is random enough to split a text.
    state = (state + 0x9e3779b9) >>> 0
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    return ((bits ^ (bits >>> 15)) >>> 0) / 0x1_0000_0000
  }
}
