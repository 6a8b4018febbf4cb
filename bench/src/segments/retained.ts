/** A reader of text in chunks. */
export interface Feeder {
  feed(text: string): unknown
}

const MEGABYTE = 1_000_000
const CHUNK_LENGTH = 250
/** The megabytes read at the first measurement; the second is far beyond it. */
export const FIRST = 1
export const SECOND = 16

/** Live bytes at the first and at the second measurement, with the stream still open. */
export interface Retained {
  readonly first: number
  readonly second: number
}

/** Feeds an opener, then a repeated unit, and measures the live bytes. */
export function measureRetained(create: () => Feeder, opener: string, unit: string): Retained {
  // Code that is compiled during the measurement would count as retained.
  feedMegabytes(create(), unit, FIRST)
  const feeder = create()
  feeder.feed(opener)
  feedMegabytes(feeder, unit, FIRST)
  const first = aliveBytes()
  feedMegabytes(feeder, unit, SECOND - FIRST)
  const second = aliveBytes()
  // Used once more, so that it is alive until here.
  feeder.feed(' ')
  return { first, second }
}

function feedMegabytes(feeder: Feeder, unit: string, megabytes: number): void {
  const chunk = Buffer.from(unit.repeat(Math.ceil(CHUNK_LENGTH / unit.length)))
  const count = (megabytes * MEGABYTE) / chunk.length
  // Each chunk is a separate string, so that a parser that keeps one keeps its bytes.
  for (let index = 0; index < count; index++) feeder.feed(chunk.toString())
}

function aliveBytes(): number {
  // Two collections, because the first may leave objects with finalizers.
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
