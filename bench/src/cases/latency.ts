import type { Bench } from '../bench-case.ts'
import { presentStores, type StoreName } from '../servers/index.ts'
import { openSite } from '../serving/open-site.ts'
import { wallClock } from '../serving/site.ts'
import { formatTable } from '../table.ts'

/** The chunks of a run, and how many its agent emits in a second. */
const CHUNKS = 300
const PER_SECOND = 100
const RUNS = 5
const LONG_RUNS = 20
/** The longest that a store may delay half of the chunks, compared with sessions in memory. */
const MAX_ADDED_MS = 5

/** Latencies in milliseconds: of the first text after the request, and of each chunk after it was emitted. */
interface Latencies {
  readonly first: readonly number[]
  readonly each: readonly number[]
}

/** Measures how much later readers over HTTP get the chunks of a run because they are stored first. */
export const latencyBench: Bench = {
  name: 'latency',
  run: async (onProgress, { isLong }) => {
    const rows = [['', 'first chunk, p50', 'p99', 'each chunk, p50', 'p99', 'added, p50']]
    const faults: string[] = []
    let inMemory: number | undefined
    for (const { name: kind } of presentStores) {
      const title = titles[kind]
      const found = await measure(kind, isLong ? LONG_RUNS : RUNS, (run) =>
        onProgress(`latency: ${title}, run ${run}`),
      )
      const middle = atShare(found.each, 0.5)
      inMemory ??= middle
      const added = middle - inMemory
      const figures = [found.first, found.each].flatMap((all) => [
        atShare(all, 0.5),
        atShare(all, 0.99),
      ])
      rows.push([title, ...[...figures, added].map((ms) => `${ms.toFixed(2)} ms`)])
      if (!(added <= MAX_ADDED_MS)) faults.push(`${title} adds ${added.toFixed(1)} ms to a chunk`)
    }
    const job = `latency: runs of ${CHUNKS} chunks, ${PER_SECOND} a second, each stored before it is sent, over HTTP`
    return { text: `${job}\n${formatTable(rows)}`, faults }
  },
}

const titles: Readonly<Record<StoreName, string>> = {
  memory: 'in memory',
  sqlite: 'SQLite',
  redis: 'Redis',
  postgres: 'Postgres',
}

async function measure(
  kind: StoreName,
  runs: number,
  onRun: (run: number) => void,
): Promise<Latencies> {
  const site = await openSite(kind)
  try {
    const port = await site.listen()
    await site.start({ runs: 0, perSecond: PER_SECOND })
    // The first run compiles the code.
    await readRun(port)
    const found: Latencies[] = []
    for (let run = 1; run <= runs; run++) {
      onRun(run)
      found.push(await readRun(port))
    }
    return {
      first: found.flatMap(({ first }) => first),
      each: found.flatMap(({ each }) => each),
    }
  } finally {
    await site.close()
  }
}

/** Starts a run and reads its chunks, which contain the time of their emission. */
async function readRun(port: number): Promise<Latencies> {
  const each: number[] = []
  const session = crypto.randomUUID()
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const sentAt = wallClock()
  let first: number | undefined
  const response = await post('run', { agent_uuid: session, user_prompt: 'go' })
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    const now = wallClock()
    const text = decoder.decode(bytes, { stream: true })
    for (const [, time] of text.matchAll(/"delta":"(\d{13}\.\d{3}) /g))
      each.push(now - Number(time))
    if (each.length > 0) first ??= now - sentAt
    if (each.length >= CHUNKS) break
  }
  await (await post(`${session}/stop`, {})).text()
  return { first: [first ?? NaN], each }
}

/** The value that a share of the values do not exceed. */
function atShare(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN
}
