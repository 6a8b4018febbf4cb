import { setMaxListeners } from 'node:events'
import { loadavg } from 'node:os'
import { inspect } from 'node:util'
import { formatTable } from '@millrace/bench/table'
import { readCommandLine } from './command-line.ts'
import { inParallel } from './in-parallel.ts'
import { createProgressBar } from './progress-bar.ts'
import type { Finding, Trial } from './trial.ts'

/** Number of concurrent trials in the short form: each of them waits for leases and processes half of the time. */
const SHORT_WIDTH = 2

function describe({ what, where, figures, bound, faults }: Finding): string[] {
  return [faults.length === 0 ? '✓' : '✗', what, where, figures, bound]
}

/** Runs a trial; a trial that throws has found a defect too. */
async function conduct(
  trial: Trial,
  options: Parameters<Trial['run']>[0],
): Promise<readonly Finding[]> {
  try {
    return await trial.run(options)
  } catch (error) {
    const text = inspect(error)
    const { name: what } = trial
    return [{ what, where: '', figures: 'could not be carried out', bound: '', faults: [text] }]
  }
}

async function main(): Promise<number> {
  const choice = readCommandLine(process.argv.slice(2))
  if ('text' in choice) {
    console.log(choice.text)
    return choice.exitCode
  }
  const { isShort, stores, trials: chosen } = choice
  const controller = new AbortController()
  // Each request of a trial adds a listener to it until the collector has freed the request.
  setMaxListeners(Infinity, controller.signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A process group gets the signal twice; the second one must not interrupt the cleanup.
    process.on(signal, () => controller.abort(new Error(`stopped by ${signal}`)))
  }
  const progress = createProgressBar()
  const found = new Map<Trial, readonly Finding[]>()
  const carryOut = async (trial: Trial): Promise<void> => {
    const { signal } = controller
    if (signal.aborted) return
    const onProgress = (done: number, total: number, what?: string): void =>
      progress.show(trial.name, done, total, what)
    const findings = await conduct(trial, { isShort, stores, onProgress, signal })
    progress.clear()
    found.set(trial, findings)
    for (const { what, where, faults } of findings) {
      for (const fault of faults) console.log(`✗ ${what} (${where}): ${fault}`)
    }
  }
  const isBeside = ({ isAlone }: Trial): boolean => isShort && isAlone !== true
  await inParallel(chosen.filter(isBeside), SHORT_WIDTH, carryOut)
  for (const trial of chosen.filter((one) => !isBeside(one))) await carryOut(trial)
  const findings = chosen.flatMap((trial) => found.get(trial) ?? [])
  const header = ['', 'fault', 'system', 'result', 'bound']
  console.log(`\n${formatTable([header, ...findings.map(describe)], { leftColumns: 5 })}\n`)
  console.log(`Node ${process.version}, load ${loadavg()[0]?.toFixed(2)}.`)
  const failed = findings.filter(({ faults }) => faults.length > 0).length
  console.log(`${findings.length - failed} passed, ${failed} failed`)
  return failed === 0 && findings.length > 0 && !controller.signal.aborted ? 0 : 1
}

process.exitCode = await main()
