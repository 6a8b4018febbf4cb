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

/** Peers get shorter texts, because some of them would need minutes. */
const PEER_SHARE = 1 / 8

/**
 * Characters at 1×: 200 KB at 8× in small chunks, 1.3 MB whole. V8 allocates strings above 128 KB separately, so the first such string adds
 * a step to the cost. All whole texts are above this size, so that only growth is visible.
 */
const chunkings = [
  { name: '4', length: 4, baseLength: 25_600 },
  { name: 'whole', length: Infinity, baseLength: 163_840 },
]

const autobyteusHandler = (strategy: 'xml' | 'json' | 'sentinel') =>
  autobyteus(strategy).filter(({ role }) => role === 'handler')

/** Peers that read the same format. */
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
  const { baseLength, length } = chunking
  const contender = toContender(adversary, runner, baseLength, length)
  const series = await measureGrowth(contender, brief)
  const rows = [formatRow(name, series, baseLength)]
  // Quadratic cost in stream readers shows in tokens only.
  const rivals = peers[adversary.format].filter(
    ({ role }) => role === 'handler' || length < Infinity,
  )
  for (const peer of rivals) {
    const share = baseLength * PEER_SHARE
    const rival = toContender(adversary, peer, share, length)
    rows.push(formatRow(`  ${peer.name}`, await measureSeries(rival, brief), share))
  }
  return { rows, faults: isLinear(series) ? [] : [`${name}: ${GROWS_TOO_MUCH}`] }
}

/** Text that is slow to read by design. */
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
        'segments-adversarial: text that is slow to read for some: at 8× 200 KB in chunks of 4 characters, 1.3 MB whole',
        '(ours is the handler, with invocations; peers get an eighth of the length)',
        autobyteusNote,
        formatTable([header, ...findings.flatMap(({ rows }) => rows)]),
      ].join('\n'),
      faults: findings.flatMap(({ faults }) => faults),
    }
  },
}
