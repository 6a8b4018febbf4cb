import type { Store } from 'millrace/server'
import type { Bench } from '../bench-case.ts'
import { openRouteStand } from '../forks/fork-route.ts'
import { type ForkStore, forkStores } from '../forks/fork-stores.ts'
import { formatTable } from '../table.ts'

const FRAMES = 100_000
const APPENDED = 500
/** Number of random frames, besides the first and the last ones: of the store alone, and of the route. */
const DRAWN = 100
const ROUTE_DRAWN = 40
/** Number of forks at each frame. The minimum counts, because other work on the machine only adds time. */
const REPEATED = 3
const ALLOWED_MS = 50
const ALLOWED_BYTES = 32_768
const HEAD = JSON.stringify({ status: 'idle', title: 'A branch', usage: { input: 1, output: 1 } })

const encoder = new TextEncoder()
const lineOf = (id: number): Uint8Array =>
  encoder.encode(
    `{"type":"text","id":"b${id}","delta":"${'flour '.repeat(id % 20)}","final":false}`,
  )

/** Time and bytes of the forks at one frame. */
interface ForkCost {
  readonly ms: number
  readonly bytes: number | undefined
}

/** Measures the time and the written bytes of a fork at any frame of a long log: by the store, and by the route. */
export const forksBench: Bench = {
  name: 'forks',
  run: async (onProgress) => {
    const rows = [['', 'ms, median', 'ms, worst', 'bytes, median', 'bytes, worst']]
    const faults: string[] = []
    for (const { title: name, open } of forkStores) {
      onProgress(`forks: ${name}`)
      for (const [what, costs] of [
        [name, await measureStore(await open())],
        [`${name}, POST fork`, await measureRoute(await open())],
      ] as const)
        judge(what, costs, rows, faults)
    }
    const job = `forks: a branch at each of ${DRAWN + 3} frames of a log of ${FRAMES}, over HTTP at ${ROUTE_DRAWN + 3}, the least of ${REPEATED} each`
    return { text: `${job}\n${formatTable(rows)}`, faults }
  },
}

function judge(what: string, costs: readonly ForkCost[], rows: string[][], faults: string[]): void {
  const times = sorted(costs.map(({ ms }) => ms))
  const bytes = sorted(costs.flatMap((cost) => cost.bytes ?? []))
  const slowest = times.at(-1) ?? NaN
  const figures = [middle(times).toFixed(2), slowest.toFixed(2)]
  const written = bytes.length === 0 ? ['–', '–'] : [middle(bytes), bytes.at(-1)].map(String)
  rows.push([what, ...figures, ...written])
  if (!(slowest <= ALLOWED_MS)) faults.push(`${what}: a fork takes ${slowest.toFixed(1)} ms`)
  if (middle(bytes) > ALLOWED_BYTES) faults.push(`${what}: a fork writes ${middle(bytes)} bytes`)
}

/** Measures forks of a session with cuts and parts. Bytes are not counted: the server also writes the end of a stopped run. */
async function measureRoute(opened: ForkStore): Promise<readonly ForkCost[]> {
  const { frames, fork, close } = await openRouteStand(opened)
  try {
    const costs: ForkCost[] = []
    for (const frame of [0, 1, ...drawFrames(ROUTE_DRAWN, frames), frames]) {
      const times: number[] = []
      for (let round = 0; round < REPEATED; round++) times.push(await fork(frame))
      costs.push({ ms: Math.min(...times), bytes: undefined })
    }
    return costs
  } finally {
    await close()
  }
}

function drawFrames(count: number, frames: number): readonly number[] {
  return Array.from({ length: count }, () => Math.floor(Math.random() * frames))
}

async function measureStore(opened: ForkStore): Promise<readonly ForkCost[]> {
  const { store } = opened
  try {
    await fill(store)
    const costs: ForkCost[] = []
    for (const frame of [0, 1, ...drawFrames(DRAWN, FRAMES), FRAMES])
      costs.push(await measureFork(opened, frame))
    return costs
  } finally {
    await opened.close()
  }
}

async function fill(store: Store): Promise<void> {
  const { epoch } = await store.open('parent')
  for (let tail = 0; tail < FRAMES;) {
    const lines = Array.from({ length: APPENDED }, (_, index) => lineOf(tail + index + 1))
    ;({ tail } = await store.append({ session: 'parent', epoch, tail, lines }))
  }
  // All appends are written by now.
  await store.list({ limit: 1, offset: 0 })
}

async function measureFork({ store, bytesWritten }: ForkStore, frame: number): Promise<ForkCost> {
  const costs: ForkCost[] = []
  for (let round = 0; round < REPEATED; round++) {
    const to = `${frame} ${round} ${crypto.randomUUID()}`
    const before = await bytesWritten()
    const start = performance.now()
    await store.fork({ from: 'parent', frame, to, head: HEAD })
    const ms = performance.now() - start
    const after = await bytesWritten()
    costs.push({ ms, bytes: after === undefined || before === undefined ? after : after - before })
    await check(store, to, frame)
  }
  const bytes = sorted(costs.flatMap((cost) => cost.bytes ?? []))[0]
  return { ms: Math.min(...costs.map(({ ms }) => ms)), bytes }
}

/** Fails unless a branch ends with the frames of its parent. */
async function check(store: Store, session: string, frame: number): Promise<void> {
  const after = Math.max(0, frame - 3)
  const page = await store.read(session, after, 9)
  const isRight = page.every(({ id, line }) => Buffer.from(line).equals(lineOf(id)))
  if (page.length !== frame - after || !isRight) throw new Error(`A fork at ${frame} is wrong.`)
}

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b)
}

function middle(values: readonly number[]): number {
  return values[Math.floor(values.length / 2)] ?? NaN
}
