/** Returns this many evenly spaced offsets of a length; every offset if there are not more. */
export function* spread(length: number, count: number): Generator<number> {
  const places = Math.min(length, count)
  for (let index = 0; index < places; index++) yield Math.floor((index * length) / places)
}

/** The plastic number: its powers spread points evenly over a square, without the rows of a grid. */
const PLASTIC = 1.324717957244746

/**
 * Returns a number of pairs of offsets: the first in the whole length, the second in the rest after
 * it.
 */
export function* spreadPairs(
  length: number,
  count: number,
): Generator<readonly [first: number, second: number]> {
  for (let index = 1; index <= count; index++) {
    const first = Math.floor(((index / PLASTIC) % 1) * length)
    yield [first, Math.floor(((index / PLASTIC ** 2) % 1) * (length - first))]
  }
}
