import { type CutReading, readByClient, readPlainly } from '../cuts/cut-readers.ts'
import { addReading, createCutTally, type CutTally, toCutFinding } from '../cuts/cut-tally.ts'
import { spread, spreadPairs } from '../cuts/offsets.ts'
import { withOwnSignal } from '../cuts/with-own-signal.ts'
import { inParallel } from '../in-parallel.ts'
import { ask } from '../mill/ask.ts'
import { followSession } from '../mill/follow-session.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readLogs } from '../mill/read-logs.ts'
import { type Stand, withStand } from '../mill/with-stand.ts'
import { onEachPlace, type StorePlace } from '../stores.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const PROMPT = 'tell'
/** Slow enough for cuts during a current run. */
const TOKENS_PER_SECOND = 300
/** Concurrent readings: of ended runs, and of runs that wait for their model. */
const WIDTH = 8
const LIVE_WIDTH = 48

/** Number of positions at which a connection is cut, for each kind of reader; every byte if there are fewer. */
interface Amounts {
  readonly once: number
  readonly twice: number
  readonly live: number
}

const short: Amounts = { once: 100, twice: 100, live: 50 }
const full: Amounts = { once: Infinity, twice: 10_000, live: Infinity }
const shortOnServer: Amounts = { once: 25, twice: 25, live: 25 }
const fullOnServer: Amounts = { once: 1_000, twice: 1_000, live: 1_000 }

/** The options of one stand. */
interface Work extends TrialOptions {
  readonly where: string
  readonly amounts: Amounts
  readonly readers: readonly Reader[]
}

/** A kind of reader, and its suffix of the address of a session. */
interface Reader {
  readonly name: string
  readonly read: typeof readPlainly
  readonly query: string
}

const plainReader: Reader = { name: 'plain readers', read: readPlainly, query: 'compact=0' }
const ourClient: Reader = { name: 'our client', read: readByClient, query: 'cursor=0' }

/** An ended run, and its data in the store. */
interface FinishedRun {
  readonly session: string
  readonly log: readonly string[]
}

/** The connection is cut at every byte of a stream, once and twice. */
export const cut: Trial = {
  name: 'cut',
  summary: 'connections cut at every byte of a stream, and twice',
  run: async (options) => {
    const { isShort } = options
    const onFile = { amounts: isShort ? short : full, readers: [plainReader, ourClient] }
    const onServer = { amounts: isShort ? shortOnServer : fullOnServer, readers: [plainReader] }
    return onEachPlace(options, ({ store, title: where }) =>
      cutAll(store, { ...options, where, ...(store === 'sqlite' ? onFile : onServer) }),
    )
  },
}

function cutAll(store: StorePlace['store'], work: Work): Promise<readonly Finding[]> {
  return withStand({ store, tokensPerSecond: TOKENS_PER_SECOND }, async (stand) => {
    const run = await finishRun(stand, work)
    const mill = await stand.startMill()
    const { once, twice } = work.amounts
    const lengths = await Promise.all(work.readers.map((reader) => lengthOf(mill, run, reader)))
    const [length = 0] = lengths
    const onceOver = await cutFinished(mill, run, work, {
      what: `connection cut ${howOften(once, length)}, run over`,
      places: (reader) => eachAlone(spread(lengths[work.readers.indexOf(reader)] ?? 0, once)),
    })
    const twiceOver = await cutFinished(mill, run, work, {
      what: `connection cut at ${twice * lengths.length} pairs of bytes, run over`,
      places: (reader) => spreadPairs(lengths[work.readers.indexOf(reader)] ?? 0, twice),
    })
    return [onceOver, twiceOver, await cutLive(mill, stand, work, length)]
  })
}

/** Its log is read while no server runs: the server that wrote it has ended, and another will read it. */
async function finishRun(stand: Stand, { signal }: Work): Promise<FinishedRun> {
  const mill = await stand.startMill()
  const session = await ask(mill, PROMPT)
  await followSession({ session, chooseMill: () => mill, signal }).done
  await mill.kill()
  const logs = await readLogs(stand.address, [session])
  return { session, log: logs.get(session) ?? [] }
}

async function lengthOf(mill: Mill, { session }: FinishedRun, { query }: Reader): Promise<number> {
  const response = await fetch(`${mill.url}/agent/${session}/stream?${query}`)
  return (await response.arrayBuffer()).byteLength
}

/** Cuts readers of a finished run at each of many positions, or pairs of them. */
async function cutFinished(
  { url }: Mill,
  { session, log }: FinishedRun,
  { readers, signal, onProgress, where }: Work,
  plan: { what: string; places: (reader: Reader) => Iterable<readonly number[]> },
): Promise<Finding> {
  const tally = createCutTally()
  for (const reader of readers) {
    const places = [...plan.places(reader)]
    let done = 0
    await inParallel(places, WIDTH, async (offsets) => {
      const reading = await withOwnSignal(signal, (own) =>
        reader.read({ url, session, offsets, signal: own }),
      )
      addReading(tally, reading, log)
      onProgress(++done, places.length, `${reader.name}, ${plan.what}`)
    })
  }
  return toCutFinding(plan.what, where, tally)
}

/** A separate run for each position: the response to the POST of our client is cut there, and so is that of a plain reader. */
async function cutLive(
  mill: Mill,
  { address }: Stand,
  { amounts: { live }, signal, onProgress, where }: Work,
  length: number,
): Promise<Finding> {
  const places = [...spread(length, live)]
  const readings = new Map<string, readonly CutReading[]>()
  await inParallel(places, LIVE_WIDTH, async (offset) => {
    const session = crypto.randomUUID()
    const read = (own: AbortSignal) => readLive(mill, session, offset, own)
    readings.set(session, await withOwnSignal(signal, read))
    onProgress(readings.size, places.length, 'live runs')
  })
  await mill.kill()
  const tally = createCutTally()
  const logs = await readLogs(address, [...readings.keys()])
  for (const [session, ofSession] of readings) addReadings(tally, ofSession, logs.get(session))
  return toCutFinding(`connection cut ${howOften(live, length)}, run live`, where, tally)
}

async function readLive(
  { url }: Mill,
  session: string,
  offset: number,
  signal: AbortSignal,
): Promise<readonly CutReading[]> {
  const options = { url, session, offsets: [offset], signal }
  let isAnswered = (): void => {}
  const answered = new Promise<void>((resolve) => (isAnswered = resolve))
  const byClient = readByClient({ ...options, onAnswer: isAnswered }, PROMPT)
  await Promise.race([answered, byClient])
  return Promise.all([byClient, readPlainly(options)])
}

function addReadings(
  tally: CutTally,
  readings: readonly CutReading[],
  log: readonly string[] = [],
): void {
  for (const reading of readings) addReading(tally, reading, log)
}

function howOften(count: number, length: number): string {
  return count >= length ? `at each of ${length} bytes` : `at ${count} of ${length} bytes`
}

function* eachAlone(places: Iterable<number>): Generator<readonly number[]> {
  for (const place of places) yield [place]
}
