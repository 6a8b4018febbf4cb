import { loadavg } from 'node:os'
import type { BenchCase } from './bench-case.ts'
import { blocksCase } from './cases/blocks.ts'
import { chunkingCase } from './cases/chunking.ts'
import { historyCase } from './cases/history.ts'
import { legacyXmlCase } from './cases/legacy-xml.ts'
import { sseDecodeCase } from './cases/sse-decode.ts'
import { streamCase } from './cases/stream.ts'
import { textCase } from './cases/text.ts'
import { toolInputCase } from './cases/tool-input.ts'
import { reportCase } from './report.ts'

const cases: readonly BenchCase[] = [
  chunkingCase,
  sseDecodeCase,
  streamCase,
  textCase,
  toolInputCase,
  historyCase,
  blocksCase,
  legacyXmlCase,
]

/** The cases that are named, all if none is, or undefined if one is not known. */
function chooseCases(names: readonly string[]): readonly BenchCase[] | undefined {
  const isKnown = (name: string) => cases.some((benchCase) => benchCase.name === name)
  if (!names.every(isKnown)) return undefined
  return names.length === 0 ? cases : cases.filter(({ name }) => names.includes(name))
}

function showProgress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K… ${message}`)
}

async function main(): Promise<void> {
  const chosen = chooseCases(process.argv.slice(2))
  if (chosen === undefined) {
    console.log(`Usage: npm run bench -- [${cases.map(({ name }) => name).join(' | ')}] …`)
    process.exitCode = 2
    return
  }
  console.log(
    `CPU time of this process (user and system), least of several runs; Node ${process.version}, load ${loadavg()[0]?.toFixed(2)}.`,
  )
  const failed: string[] = []
  for (const benchCase of chosen) {
    const { text, isLinear } = await reportCase(benchCase, showProgress)
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    console.log(`\n${text}`)
    if (!isLinear) failed.push(benchCase.name)
  }
  if (failed.length > 0) {
    console.log(`\nNot linear: ${failed.join(', ')}.`)
    process.exitCode = 1
  }
}

await main()
