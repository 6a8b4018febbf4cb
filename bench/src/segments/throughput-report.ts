import type { Bench, CaseReport } from '../bench-case.ts'
import { GROWS_TOO_MUCH, isLinear, type Series, worstGrowth } from '../growth.ts'
import { autobyteusNote } from '../peers/autobyteus.ts'
import { formatTable } from '../table.ts'
import {
  CHUNK_LENGTHS,
  measureOurs,
  measurePeer,
  measureWorstGrowth,
  type Speed,
} from './throughput.ts'
import type { Runner, Workload } from './workload.ts'

interface Row {
  readonly runner: Runner
  readonly speeds: readonly Speed[]
}

interface OurRow extends Row {
  readonly series: Series
}

/** Creates a part of the benchmark that shows the speed of workloads at every chunk length. */
export function throughputBench(name: string, job: string, workloads: readonly Workload[]): Bench {
  return {
    name,
    run: async (onProgress) => {
      const reports: CaseReport[] = []
      for (const workload of workloads)
        reports.push(await reportWorkload(workload, (who) => onProgress(`${name}: ${who}`)))
      return {
        text: [
          `${name}: ${job}, in MB/s at chunks of ${CHUNK_LENGTHS.join(', ')} characters`,
          '(× how many times as fast ours is; KiB where a peer was too slow for more)',
          autobyteusNote,
          ...reports.map(({ text }) => text),
        ].join('\n'),
        faults: reports.flatMap(({ faults }) => faults),
      }
    },
  }
}

async function reportWorkload(
  workload: Workload,
  onProgress: (who: string) => void,
): Promise<CaseReport> {
  const ours: OurRow[] = []
  for (const runner of workload.ours) {
    onProgress(`${workload.name}, ${runner.name}`)
    const speeds = await measureSpeeds(workload, runner, measureOurs)
    ours.push({ runner, speeds, series: await measureWorstGrowth(workload, runner) })
  }
  const peers: Row[] = []
  for (const runner of workload.peers) {
    onProgress(`${workload.name}, ${runner.name}`)
    peers.push({ runner, speeds: await measureSpeeds(workload, runner, measurePeer) })
  }
  const header = [workload.name, ...CHUNK_LENGTHS.map(String), 'growth']
  const rows = [...ours.map(formatOurs), ...peers.map((row) => formatPeer(row, ours))]
  return {
    text: `\n${formatTable([header, ...rows])}`,
    faults: ours
      .filter(({ series }) => !isLinear(series))
      .map(({ runner }) => `${workload.name}, ${runner.name}: ${GROWS_TOO_MUCH}`),
  }
}

async function measureSpeeds(
  workload: Workload,
  runner: Runner,
  measureSpeed: typeof measureOurs,
): Promise<Speed[]> {
  const speeds: Speed[] = []
  for (const chunkLength of CHUNK_LENGTHS)
    speeds.push(await measureSpeed(workload, runner, chunkLength))
  return speeds
}

function formatOurs({ runner, speeds, series }: OurRow): string[] {
  const rates = speeds.map(({ rate }) => formatRate(rate))
  return [`  ${runner.name}`, ...rates, worstGrowth(series)?.toFixed(2) ?? '–']
}

function formatPeer({ runner, speeds }: Row, ours: readonly Row[]): string[] {
  const rival = ours.find((row) => row.runner.role === runner.role) ?? ours[0]
  const cells = speeds.map(({ rate, cutLength }, index) => {
    const size = cutLength === undefined ? '' : `, ${cutLength / 1024} KiB`
    return `${formatRate(rate)} (${formatTimes((rival?.speeds[index]?.rate ?? 0) / rate)}${size})`
  })
  return [`  ${runner.name}`, ...cells, '']
}

function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(2) : rate.toFixed(0)
}

function formatTimes(ratio: number): string {
  return `×${ratio < 10 ? ratio.toPrecision(2) : ratio.toFixed(0)}`
}
