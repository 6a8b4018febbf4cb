/** One way of cutting a stream into chunks. */
export interface Feeding {
  readonly name: string
  cut(bytes: Uint8Array): Iterable<Uint8Array>
}

/** Random cuts tried for each case, besides whole and byte by byte. */
const RANDOM_FEEDINGS = 5
/** Beyond this size, single bytes take long and prove no more. */
const SINGLE_LIMIT = 256 * 1024

/** Returns every way of cutting a stream: whole, into single bytes, at the same random cuts in each run. */
export function feedings(): readonly Feeding[] {
  const random = Array.from({ length: RANDOM_FEEDINGS }, (_, seed) => randomFeeding(seed + 1))
  return [wholeFeeding, singleFeeding, ...random]
}

const wholeFeeding: Feeding = { name: 'whole', cut: (bytes) => [bytes] }

const singleFeeding: Feeding = {
  name: 'single bytes',
  *cut(bytes) {
    const step = bytes.length > SINGLE_LIMIT ? Math.ceil(bytes.length / SINGLE_LIMIT) : 1
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  },
}

function randomFeeding(seed: number): Feeding {
  return {
    name: `random cuts ${seed}`,
    *cut(bytes) {
      const next = createRandom(seed)
      for (let at = 0; at < bytes.length;) {
        const length = 1 + Math.floor(next() ** 3 * 200)
        yield bytes.subarray(at, at + length)
        at += length
      }
    },
  }
}

/** A small linear congruential generator: sufficient for cuts, and the same everywhere. */
export function createRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
