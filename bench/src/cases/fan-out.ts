import type { Bench, BenchOptions, CaseReport } from '../bench-case.ts'
import { allowed } from '../serving/allowed.ts'
import { measureIdle } from '../serving/measure-idle.ts'
import { presentStores } from '../servers/index.ts'
import type { SiteKind } from '../serving/site.ts'
import { type LoadFigures, type Watch, watchLoad } from '../serving/watch-load.ts'
import { formatTable } from '../table.ts'

const names: Readonly<Record<SiteKind, string>> = {
  raw: 'raw Node response, nothing kept',
  memory: 'millrace, in memory',
  sqlite: 'millrace, SQLite',
  redis: 'millrace, Redis',
  postgres: 'millrace, Postgres',
}

const ROUNDS = 3
const LONG_ROUNDS = 5
const MANY_RUNS_ROUNDS = 3

type OnProgress = (message: string) => void

/** Measures the kinds in turns, so that other load on the machine affects all of them. Returns the figures of each round. */
async function compare(
  kinds: readonly SiteKind[],
  watch: Watch,
  rounds: number,
  onProgress: OnProgress,
): Promise<readonly Figures[]> {
  const found: Figures[] = []
  for (let round = 1; round <= rounds; round++) {
    const figures = new Map<SiteKind, LoadFigures>()
    for (const kind of kinds) {
      onProgress(`fan-out: ${watch.runs} runs, ${names[kind]}, ${round} of ${rounds}`)
      figures.set(kind, await watchLoad(kind, watch))
    }
    found.push(figures)
  }
  return found
}

type Figures = ReadonlyMap<SiteKind, LoadFigures>

/** Returns the cheapest round of each kind. */
function leastOf(rounds: readonly Figures[]): Figures {
  const least = new Map<SiteKind, LoadFigures>()
  for (const [kind, figures] of rounds.flatMap((round) => [...round])) {
    if (figures.cpuUs < (least.get(kind)?.cpuUs ?? Infinity)) least.set(kind, figures)
  }
  return least
}

/** Returns the median ratio to the raw server in the same round. System calls vary more between rounds than the two servers within one. */
function ratioOf(rounds: readonly Figures[], kind: SiteKind): number {
  const ratios = rounds.map(
    (round) => (round.get(kind)?.cpuUs ?? NaN) / (round.get('raw')?.cpuUs ?? NaN),
  )
  return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? NaN
}

function toTable(rounds: readonly Figures[]): string {
  const rows = [...leastOf(rounds)].map(([kind, { perSecond, delivered, cpuUs, p50Ms, p99Ms }]) => [
    names[kind],
    perSecond.toFixed(0),
    `${(delivered * 100).toFixed(1)} %`,
    cpuUs.toFixed(1),
    `${ratioOf(rounds, kind).toFixed(2)}×`,
    `${p50Ms.toFixed(1)} ms`,
    `${p99Ms.toFixed(1)} ms`,
  ])
  const header = ['', 'arrived/s', 'of those sent', 'CPU µs each', 'against raw', 'p50', 'p99']
  return formatTable([header, ...rows])
}

function lost(rounds: readonly Figures[]): readonly string[] {
  // Some frames are in transit when the clock is read.
  const kinds = [...leastOf(rounds)].filter(([, { delivered }]) => Math.abs(delivered - 1) > 0.02)
  return kinds.map(([kind]) => `${names[kind]}: not all that was sent has arrived`)
}

async function reportOneRun(isLong: boolean, onProgress: OnProgress): Promise<CaseReport> {
  const watch = { runs: 1, perSecond: 20, readersPerRun: 1_000, seconds: isLong ? 20 : 4 }
  const rounds = isLong ? LONG_ROUNDS : ROUNDS
  const kinds = ['raw', ...presentStores.map(({ name }) => name)] as const
  const found = await compare(kinds, watch, rounds, onProgress)
  const costly = presentStores.flatMap(({ name }) => {
    const ratio = ratioOf(found, name)
    if (ratio <= allowed.fanOutRatio) return []
    const figure = `${ratio.toFixed(2)} times the CPU of a raw server, not ${allowed.fanOutRatio}`
    return [`${names[name]}: ${figure}`]
  })
  return {
    text: `1 run at 20 events/s to 1,000 readers\n${toTable(found)}`,
    faults: [...lost(found), ...costly],
  }
}

async function reportManyRuns(isLong: boolean, onProgress: OnProgress): Promise<CaseReport> {
  const watch = { runs: 200, perSecond: 30, readersPerRun: 1, seconds: isLong ? 60 : 5 }
  const kinds = ['raw', ...presentStores.map(({ name }) => name)] as const
  const found = await compare(kinds, watch, MANY_RUNS_ROUNDS, onProgress)
  const least = leastOf(found)
  const costly = presentStores.flatMap(({ name }) => {
    const cpuUs = least.get(name)?.cpuUs ?? NaN
    const most = allowed.eventUs[name]
    return cpuUs <= most ? [] : [`${names[name]}: ${cpuUs.toFixed(1)} µs an event, not ${most} µs`]
  })
  return {
    text: `200 runs at 30 events/s with a reader each: agent, log and socket\n${toTable(found)}`,
    faults: [...lost(found), ...costly],
  }
}

async function reportIdle(onProgress: OnProgress): Promise<CaseReport> {
  const rows: string[][] = [['', 'resident', 'of it heap']]
  const faults: string[] = []
  for (const kind of ['raw', 'memory'] as const) {
    onProgress(`fan-out: idle readers, ${names[kind]}`)
    const { rss, heap } = await measureIdle(kind)
    rows.push([names[kind], `${(rss / 1000).toFixed(1)} KB`, `${(heap / 1000).toFixed(1)} KB`])
    if (kind !== 'raw' && rss > allowed.idleBytes) faults.push('an idle reader holds over 20 KB')
  }
  return { text: `5,000 idle readers, memory for each\n${formatTable(rows)}`, faults }
}

/** Measures the cost of live readers: one run to many, many runs to one each, and idle ones. */
export const fanOutBench: Bench = {
  name: 'fan-out',
  run: async (onProgress, { isLong }: BenchOptions) => {
    const parts = [
      await reportOneRun(isLong, onProgress),
      await reportManyRuns(isLong, onProgress),
      await reportIdle(onProgress),
    ]
    return {
      text: ['fan-out: CPU of the server’s process alone', ...parts.map(({ text }) => text)].join(
        '\n\n',
      ),
      faults: parts.flatMap(({ faults }) => faults),
    }
  },
}
