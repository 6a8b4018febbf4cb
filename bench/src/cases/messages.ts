import type { Bench, CaseReport } from '../bench-case.ts'
import { GROWS_TOO_MUCH } from '../growth.ts'
import { floor } from '../messages/floor.ts'
import {
  isLinear,
  measureGrowth,
  measureSizes,
  type SizedSeries,
  worstGrowth,
} from '../messages/growth.ts'
import { ourModel, ourReader } from '../messages/ours.ts'
import type { MessageRunner } from '../messages/runner.ts'
import { type MessageWorkload, messageWorkloads } from '../messages/workload.ts'
import { anthropicSdk } from '../peers/anthropic-sdk.ts'
import { formatTable } from '../table.ts'

interface Row {
  readonly runner: MessageRunner
  readonly series: SizedSeries
}

const ours: readonly MessageRunner[] = [ourModel, ourReader]

/** The bytes of a response of the Messages API to its message. */
export const messagesBench: Bench = {
  name: 'messages',
  run: async (onProgress) => {
    const reports: CaseReport[] = []
    for (const workload of messageWorkloads)
      reports.push(await reportWorkload(workload, onProgress))
    return {
      text: [
        'messages: the bytes of a response of the Messages API, in chunks of 16 KB, to its message',
        '(growth for each doubling of the size; events and MB a second at the largest size)',
        ...reports.map(({ text }) => text),
      ].join('\n'),
      faults: reports.flatMap(({ faults }) => faults),
    }
  },
}

async function reportWorkload(
  workload: MessageWorkload,
  onProgress: (message: string) => void,
): Promise<CaseReport> {
  const progress = ({ name }: MessageRunner) => onProgress(`messages: ${workload.name}, ${name}`)
  progress(floor)
  const base = await measureSizes(floor, workload)
  const rows: Row[] = []
  for (const runner of ours) {
    progress(runner)
    rows.push({ runner, series: await measureGrowth(runner, workload) })
  }
  progress(anthropicSdk)
  const peer = { runner: anthropicSdk, series: await measureSizes(anthropicSdk, workload) }
  const sizes = workload.sizes.map((size) => `${size} ${workload.unit}`)
  const header = [workload.name, ...sizes, 'growth', 'events/s', 'MB/s', 'against ours']
  const all = [...rows, { runner: floor, series: base }, peer]
  return {
    text: `\n${formatTable([header, ...all.map((row) => toRow(row, rows[0]?.series ?? []))])}`,
    faults: rows
      .filter(({ series }) => !isLinear(series))
      .map(({ runner }) => `${workload.name}, ${runner.name}: ${GROWS_TOO_MUCH}`),
  }
}

function toRow({ runner, series }: Row, first: SizedSeries): string[] {
  const place = series.findLastIndex(({ milliseconds }) => milliseconds !== undefined)
  const { milliseconds = Infinity, events = 0, bytes = 0 } = series[place] ?? {}
  const rival = first[place]?.milliseconds ?? Infinity
  return [
    `  ${runner.name}`,
    ...series.map((one) => formatMs(one.milliseconds)),
    worstGrowth(series)?.toFixed(2) ?? '–',
    Math.round((events / milliseconds) * 1000).toLocaleString('en'),
    (bytes / 1000 / milliseconds).toFixed(1),
    `${(milliseconds / rival).toFixed(2)}×`,
  ]
}

function formatMs(value: number | undefined): string {
  if (value === undefined) return '–'
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
}
