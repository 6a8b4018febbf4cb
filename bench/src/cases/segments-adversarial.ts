import type { Bench, Contender } from '../bench-case.ts'
import {
  GROWS_TOO_MUCH,
  isLinear,
  measureGrowth,
  measureSeries,
  SCALES,
  type Series,
  worstGrowth,
} from '../growth.ts'
import { brief } from '../measure.ts'
import { aiSdkReasoning } from '../peers/ai-sdk-reasoning.ts'
import { aiSdkToolHermes, aiSdkToolQwen } from '../peers/ai-sdk-tool.ts'
import { autobyteus, autobyteusNote } from '../peers/autobyteus.ts'
import {
  type Adversary,
  type AdversaryFormat,
  adversaries,
  adversaryOptions,
} from '../segments/adversaries.ts'
import { millraceHandler } from '../segments/ours.ts'
import { type Runner, toChunks } from '../segments/workload.ts'
import { formatTable } from '../table.ts'

/** Characters at 1×, so that there are 200 KB at 8×. */
const BASE_LENGTH = 25_600
/** Peers get less, as some of them would need minutes. */
const PEER_BASE_LENGTH = BASE_LENGTH / 8

const chunkings = [
  { name: '4', length: 4 },
  { name: 'whole', length: Infinity },
]

const autobyteusHandler = (strategy: 'xml' | 'json' | 'sentinel') =>
  autobyteus(strategy).filter(({ role }) => role === 'handler')

/** Those that read the same format. */
const peers: Readonly<Record<AdversaryFormat, readonly Runner[]>> = {
  xml: autobyteusHandler('xml'),
  json: autobyteusHandler('json'),
  sentinel: autobyteusHandler('sentinel'),
  hermes: [aiSdkToolHermes],
  qwen3coder: [aiSdkToolQwen],
  think: [aiSdkReasoning],
}

function toContender(
  adversary: Adversary,
  runner: Runner,
  baseLength: number,
  chunkLength: number,
): Contender {
  const prepare = (scale: number) => {
    const text = adversary.build(scale * baseLength)
    return runner.prepare(toChunks(text, chunkLength), { text })
  }
  return { name: runner.name, prepare }
}

function formatRow(name: string, series: Series, baseLength: number): string[] {
  const last = series.findLastIndex((value) => value !== undefined)
  const rate = ((SCALES[last] ?? 1) * baseLength) / 1000 / (series[last] ?? Infinity)
  const cells = series.map((value) => (value === undefined ? '–' : `${value.toFixed(2)} ms`))
  return [name, ...cells, worstGrowth(series)?.toFixed(2) ?? '–', rate.toPrecision(2)]
}

interface Finding {
  readonly rows: readonly string[][]
  readonly faults: readonly string[]
}

async function examine(
  adversary: Adversary,
  chunking: (typeof chunkings)[number],
): Promise<Finding> {
  const name = `${adversary.name}, ${chunking.name}`
  const runner = millraceHandler(adversaryOptions[adversary.format])
  const contender = toContender(adversary, runner, BASE_LENGTH, chunking.length)
  const series = await measureGrowth(contender, brief)
  const rows = [formatRow(name, series, BASE_LENGTH)]
  // What is quadratic in those that read streams shows in tokens only.
  const rivals = peers[adversary.format].filter(
    ({ role }) => role === 'handler' || chunking.length < Infinity,
  )
  for (const peer of rivals) {
    const rival = toContender(adversary, peer, PEER_BASE_LENGTH, chunking.length)
    rows.push(formatRow(`  ${peer.name}`, await measureSeries(rival, brief), PEER_BASE_LENGTH))
  }
  return { rows, faults: isLinear(series) ? [] : [`${name}: ${GROWS_TOO_MUCH}`] }
}

/** Text that was written to be slow to read. */
export const segmentsAdversarialBench: Bench = {
  name: 'segments-adversarial',
  run: async (onProgress) => {
    const findings: Finding[] = []
    for (const adversary of adversaries)
      for (const chunking of chunkings) {
        onProgress(`segments-adversarial: ${adversary.name}`)
        findings.push(await examine(adversary, chunking))
      }
    const header = ['', ...SCALES.map((scale) => `${scale}×`), 'growth', 'MB/s']
    return {
      text: [
        'segments-adversarial: text that is slow to read for some, 200 KB at 8×, in chunks of 4 characters and whole',
        '(ours is the handler, with invocations; peers get an eighth of the length)',
        autobyteusNote,
        formatTable([header, ...findings.flatMap(({ rows }) => rows)]),
      ].join('\n'),
      faults: findings.flatMap(({ faults }) => faults),
    }
  },
}
