import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Command, Terminal } from '../command.ts'
import { parseCases } from '../conformance/conformance-case.ts'
import { describeRecordings } from '../conformance/recordings/describe-recordings.ts'
import { loadRecordings } from '../conformance/recordings/load-recordings.ts'
import { runRecordings } from '../conformance/recordings/run-recordings.ts'
import { ownImplementation } from '../conformance/own/own-implementation.ts'
import { type CaseOutcome, runCase } from '../conformance/run-case.ts'
import { misuse } from '../misuse.ts'

const usage = `[FILE.jsonl …] [--recordings DIR]

  --recordings   a folder with recorded streams of the Messages API, *.sse or *.jsonl (one event a
                 line, or what millrace record writes), also in its synthetic/, and what the
                 official SDK makes of each in its golden/

Runs case files against this implementation: one JSON object a line, {name, kind, input, expected},
or {name, strategy, chunks, expected, invocations} and {name, format, text, expected} for segments.
Streams are fed whole, unit by unit and at random cuts, texts also split at every place.
Recordings must give the SDK's message where that is right, and keep what is promised for pings,
for every cut and for every way of feeding them. Exits with 1 if anything failed.`

/** What is shown of one case; the other ways of feeding it mostly differ alike. */
const SHOWN_FAULTS = 3

/** `millrace conformance`: case files against this implementation. */
export const conformance: Command = {
  usage,
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { recordings: { type: 'string' } },
    })
    const { recordings } = values
    if (positionals.length === 0 && recordings === undefined)
      throw misuse('Name at least one case file, or a folder of recordings.')
    let failed = 0
    if (positionals.length > 0) failed += await runFiles(positionals, terminal)
    if (recordings !== undefined) failed += await runFolder(recordings, terminal)
    return failed === 0 ? 0 : 1
  },
}

async function runFiles(files: readonly string[], terminal: Terminal): Promise<number> {
  const outcomes: CaseOutcome[] = []
  for (const file of files) outcomes.push(...(await runFile(file, terminal)))
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length
  terminal.print(`${outcomes.length - failed} passed, ${failed} failed`)
  return failed
}

async function runFolder(folder: string, terminal: Terminal): Promise<number> {
  const recordings = await loadRecordings(folder, {
    onSkip: (name, why) => terminal.print(`Not checked: ${name} ${why}`),
  })
  const summaries = await runRecordings(recordings, {
    onProgress: (text) => terminal.showProgress?.(text),
  })
  terminal.showProgress?.('')
  terminal.print(describeRecordings(recordings, summaries))
  const failed = summaries.reduce((count, { faults }) => count + faults.length, 0)
  terminal.print(`${recordings.length} recordings, ${failed} failed`)
  return failed + (recordings.length === 0 ? 1 : 0)
}

async function runFile(file: string, terminal: Terminal): Promise<readonly CaseOutcome[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const outcomes: CaseOutcome[] = text === undefined ? [missing(file)] : []
  // One after the other, so that cases which take their time do not disturb each other.
  for (const one of parseCases(text ?? '')) outcomes.push(await runCase(one, ownImplementation))
  for (const outcome of outcomes) {
    if (outcome.faults.length > 0) terminal.print(describe(file, outcome))
  }
  return outcomes
}

function missing(file: string): CaseOutcome {
  return { name: file, kind: 'file', faults: ['cannot be read; check the path'] }
}

function describe(file: string, { name, kind, faults }: CaseOutcome): string {
  const more = faults.length - SHOWN_FAULTS
  const shown = faults.slice(0, SHOWN_FAULTS).join('; ')
  return `✗ ${file} ${name} (${kind}): ${shown}${more > 0 ? `; and ${more} more` : ''}`
}
