import type { Work } from '../bench-case.ts'
import { measureGrowth, type Series, worstGrowth } from '../growth.ts'
import { brief, measure, timeOnce } from '../measure.ts'
import { type Runner, toChunks, type Workload } from './workload.ts'

/** Characters in a delta: a letter, a token, a few words, a whole network chunk. */
export const CHUNK_LENGTHS = [1, 4, 64, 4096] as const

/** Characters at which speed is read; for single characters a quarter of it takes long enough. */
const FULL_LENGTH = 1_048_576
const fullLengthAt = (chunkLength: number) => (chunkLength === 1 ? FULL_LENGTH / 4 : FULL_LENGTH)
/** Characters at scale 1 at which growth is read: the data of scale 8 still fits the processor's cache. */
const GROWTH_BASE_LENGTH = 16_384
/** Chunk lengths at which growth is read. From long chunks a handler creates strings that V8 maps separately from 128 KiB on. */
const GROWTH_CHUNK_LENGTHS = { parser: [4, 4096], handler: [4] } as const
/** The first length of a peer; it is quadrupled as long as the peer's speed allows. */
const PEER_START_LENGTH = 16_384
/** A peer does not get a length that would take longer than this at quadratic cost. */
const PEER_PATIENCE_MS = 500

/** The speed of a runner at one chunk length. */
export interface Speed {
  /** Millions of characters for each second of CPU time. */
  readonly rate: number
  /** The measured input, if it was shorter than intended. */
  readonly cutLength?: number
}

/** Measures one of our runners with the full length. */
export async function measureOurs(
  workload: Workload,
  runner: Runner,
  chunkLength: number,
): Promise<Speed> {
  const length = fullLengthAt(chunkLength)
  const milliseconds = await measure(prepareRun(workload, runner, length, chunkLength), brief)
  return { rate: toRate(workload, length, milliseconds) }
}

/** Measures the growth of our cost when the input doubles; the worst series counts. */
export async function measureWorstGrowth(workload: Workload, runner: Runner): Promise<Series> {
  const all: Series[] = []
  for (const chunkLength of GROWTH_CHUNK_LENGTHS[runner.role]) {
    const prepare = (scale: number) =>
      prepareRun(workload, runner, scale * GROWTH_BASE_LENGTH, chunkLength)
    all.push(await measureGrowth({ name: runner.name, prepare }, brief))
  }
  const worst = (series: Series) => worstGrowth(series) ?? Infinity
  return all.reduce((series, other) => (worst(other) > worst(series) ? other : series))
}

/** Measures a peer with as much input as it can read in reasonable time. */
export async function measurePeer(
  workload: Workload,
  runner: Runner,
  chunkLength: number,
): Promise<Speed> {
  const fullLength = fullLengthAt(chunkLength)
  let length = PEER_START_LENGTH
  let work = prepareRun(workload, runner, length, chunkLength)
  while (length < fullLength && (await timeWarm(work)) * 16 < PEER_PATIENCE_MS) {
    length *= 4
    work = prepareRun(workload, runner, length, chunkLength)
  }
  const rate = toRate(workload, length, await measure(work, brief))
  return { rate, ...(length < fullLength && { cutLength: length }) }
}

/** The second run is one of code that has been compiled. */
async function timeWarm(work: Work): Promise<number> {
  await timeOnce(work)
  return timeOnce(work)
}

function prepareRun(workload: Workload, runner: Runner, length: number, chunkLength: number) {
  const sample = workload.build(length)
  return runner.prepare(toChunks(sample.text, chunkLength), sample)
}

function toRate(workload: Workload, length: number, milliseconds: number): number {
  return workload.build(length).text.length / 1000 / milliseconds
}
