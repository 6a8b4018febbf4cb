import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { formatTable } from '@millrace/bench/table'
import { createProgressBar, type ProgressBar } from '@millrace/faults/progress-bar'
import type { Configuration } from './configurations.ts'
import { ALLOWED_BYTES, judge } from './judge.ts'
import { findNodes, type NodeProgram, runningNode } from './nodes.ts'
import { readOptions, type SoakOptions, usage } from './options.ts'
import { toHtmlReport } from './report/html-report.ts'
import { describeCounts, type Outcome, toMegabytes } from './report/outcome.ts'
import type { TakenSample } from './sample.ts'
import { soakConfiguration } from './soak-configuration.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Soaking {
  readonly options: SoakOptions
  readonly node: NodeProgram
  readonly progress: ProgressBar
  readonly signal: AbortSignal
}

/** Soaks one configuration; a stopped one has failed, and is judged by its measurements. */
async function soak(
  configuration: Configuration,
  { options: { runs, every }, node, progress, signal }: Soaking,
): Promise<Outcome> {
  const samples: TakenSample[] = []
  const known = { configuration: configuration.name, node: node.version, samples }
  const onSample = (sample: TakenSample): void => {
    samples.push(sample)
    progress.show(configuration.name, sample.runs, runs, `runs on Node ${node.version}`)
  }
  try {
    const { path } = node
    await soakConfiguration(configuration, { runs, every, node: path, signal, onSample })
    return { ...known, ...judgeSamples(samples) }
  } catch (error) {
    const { verdict, faults } = judgeSamples(samples)
    const fault = `stopped after ${samples.at(-1)?.runs ?? 0} runs: ${inspect(error)}`
    return { ...known, ...(verdict && { verdict }), faults: [fault, ...faults] }
  }
}

/** Judges the existing samples; too few are a fault. */
function judgeSamples(samples: readonly TakenSample[]): Pick<Outcome, 'verdict' | 'faults'> {
  try {
    const verdict = judge(samples)
    return { verdict, faults: verdict.faults }
  } catch (error) {
    return { faults: [error instanceof Error ? error.message : String(error)] }
  }
}

function toRow({ configuration, node, samples, verdict, faults }: Outcome): string[] {
  const runs = String(samples.at(-1)?.runs ?? 0)
  const isGood = faults.length === 0
  const start = [isGood ? '✓' : '✗', configuration, node, runs]
  if (verdict === undefined) return [...start, '', '', '', '']
  const { bytesPerRun, firstBytes, lastBytes, counts } = verdict
  const growth = (bytesPerRun / 1_024).toFixed(2)
  return [...start, growth, toMegabytes(firstBytes), toMegabytes(lastBytes), describeCounts(counts)]
}

async function writeReport(file: string, outcomes: readonly Outcome[]): Promise<void> {
  const path = resolve(root, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, toHtmlReport(outcomes))
}

async function soakAll(options: SoakOptions, signal: AbortSignal): Promise<readonly Outcome[]> {
  const progress = createProgressBar()
  const nodes = options.isOnAllNodes ? await findNodes() : [runningNode]
  const outcomes: Outcome[] = []
  for (const configuration of options.chosen) {
    const { missing } = configuration.store
    if (missing !== '') console.log(`${configuration.name}${missing}`)
    for (const node of missing === '' ? nodes : []) {
      if (signal.aborted) return outcomes
      const outcome = await soak(configuration, { options, node, progress, signal })
      progress.clear()
      outcomes.push(outcome)
      const { name } = configuration
      for (const fault of outcome.faults) console.log(`✗ ${name} (Node ${node.version}): ${fault}`)
      // Written each time, so that a stopped soak leaves its results.
      if (options.report !== undefined) await writeReport(options.report, outcomes)
    }
  }
  return outcomes
}

async function main(): Promise<number> {
  let options: SoakOptions
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    return 2
  }
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => controller.abort(new Error(`stopped by ${signal}`)))
  }
  const outcomes = await soakAll(options, controller.signal)
  const header = [
    '',
    'configuration',
    'Node',
    'runs',
    'KB a run',
    'MB first',
    'MB last',
    'at the end',
  ]
  console.log(`\n${formatTable([header, ...outcomes.map(toRow)], { leftColumns: 3 })}\n`)
  console.log(
    `At most ${ALLOWED_BYTES / 1_024} KB a run is allowed. Load ${loadavg()[0]?.toFixed(2)}.`,
  )
  if (options.report !== undefined) console.log(`The report is in ${options.report}.`)
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length
  console.log(`${outcomes.length - failed} passed, ${failed} failed`)
  return failed === 0 && outcomes.length > 0 && !controller.signal.aborted ? 0 : 1
}

process.exitCode = await main()
