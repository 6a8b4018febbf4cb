import { loadavg } from 'node:os'
import type { Bench } from './bench-case.ts'
import { appendBench } from './cases/append.ts'
import { blocksCase } from './cases/blocks.ts'
import { chunkingCase } from './cases/chunking.ts'
import { dialectsBench } from './cases/dialects.ts'
import { fanOutBench } from './cases/fan-out.ts'
import { forksBench } from './cases/forks.ts'
import { formattersBench } from './cases/formatters.ts'
import { historyCase } from './cases/history.ts'
import { importsBench } from './cases/imports.ts'
import { inProcessBench } from './cases/in-process.ts'
import { latencyBench } from './cases/latency.ts'
import { legacyXmlCase } from './cases/legacy-xml.ts'
import { messagesBench } from './cases/messages.ts'
import { pageBench } from './cases/page.ts'
import { replayBench } from './cases/replay.ts'
import { scrollBench } from './cases/scroll.ts'
import { segmentsAdversarialBench } from './cases/segments-adversarial.ts'
import { segmentsBodiesBench } from './cases/segments-bodies.ts'
import { segmentsCallsBench } from './cases/segments-calls.ts'
import { segmentsMemoryBench } from './cases/segments-memory.ts'
import { segmentsTextBench } from './cases/segments-text.ts'
import { sessionsBench } from './cases/sessions.ts'
import { sseDecodeCase } from './cases/sse-decode.ts'
import { streamBench } from './cases/stream.ts'
import { textCase } from './cases/text.ts'
import { toolInputCase } from './cases/tool-input.ts'
import { toBench } from './report.ts'

const benches: readonly Bench[] = [
  toBench(chunkingCase),
  toBench(sseDecodeCase),
  streamBench,
  toBench(textCase),
  toBench(toolInputCase),
  toBench(historyCase),
  toBench(blocksCase),
  toBench(legacyXmlCase),
  formattersBench,
  dialectsBench,
  messagesBench,
  segmentsTextBench,
  segmentsBodiesBench,
  segmentsCallsBench,
  segmentsAdversarialBench,
  segmentsMemoryBench,
  appendBench,
  fanOutBench,
  latencyBench,
  replayBench,
  sessionsBench,
  forksBench,
  inProcessBench,
  importsBench,
  pageBench,
  scrollBench,
]

/** The option for measurements that take minutes. */
const LONG_FLAG = '--long'

/** Returns the named parts, all parts without names, or undefined for an unknown name. */
function chooseBenches(names: readonly string[]): readonly Bench[] | undefined {
  const isKnown = (name: string) => benches.some((bench) => bench.name === name)
  if (!names.every(isKnown)) return undefined
  return names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name))
}

function showProgress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K… ${message}`)
}

async function main(): Promise<void> {
  const words = process.argv.slice(2)
  const isLong = words.includes(LONG_FLAG)
  const chosen = chooseBenches(words.filter((word) => word !== LONG_FLAG))
  if (chosen === undefined) {
    const names = benches.map(({ name }) => name).join(' | ')
    console.log(`Usage: npm run bench -- [${LONG_FLAG}] [${names}] …`)
    process.exitCode = 2
    return
  }
  console.log(
    `CPU time of this process (user and system), least of several runs; Node ${process.version}, load ${loadavg()[0]?.toFixed(2)}.`,
  )
  const failed: string[] = []
  for (const { name, run } of chosen) {
    const { text, faults } = await run(showProgress, { isLong })
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    console.log(`\n${[text, ...faults.map((fault) => `✗ ${fault}`)].join('\n')}`)
    if (faults.length > 0) failed.push(name)
  }
  if (failed.length > 0) {
    console.log(`\nWorse than allowed: ${failed.join(', ')}.`)
    process.exitCode = 1
  }
}

await main()
