import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Command, Terminal } from '../command.ts'
import { parseCases } from '../conformance/conformance-case.ts'
import { type CaseOutcome, runCase } from '../conformance/run-case.ts'
import { misuse } from '../misuse.ts'

const usage = `FILE.jsonl …

Runs case files against this implementation: one JSON object a line, {name, kind, input, expected},
or {name, strategy, chunks, expected, invocations} and {name, format, text, expected} for segments.
Streams are fed whole, unit by unit and at random cuts, texts also split at every place.
Exits with 1 if any case failed.`

/** What is shown of one case; the other ways of feeding it mostly differ alike. */
const SHOWN_FAULTS = 3

/** `millrace conformance`: case files against this implementation. */
export const conformance: Command = {
  usage,
  run: async (args, terminal) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
    if (positionals.length === 0) throw misuse('Name at least one case file.')
    const outcomes: CaseOutcome[] = []
    for (const file of positionals) outcomes.push(...(await runFile(file, terminal)))
    const failed = outcomes.filter(({ faults }) => faults.length > 0).length
    terminal.print(`${outcomes.length - failed} passed, ${failed} failed`)
    return failed === 0 ? 0 : 1
  },
}

async function runFile(file: string, terminal: Terminal): Promise<readonly CaseOutcome[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const outcomes = text === undefined ? [missing(file)] : parseCases(text).map(runCase)
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
