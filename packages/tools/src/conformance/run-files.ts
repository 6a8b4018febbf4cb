import { readFile } from 'node:fs/promises'
import { parseCases } from './conformance-case.ts'
import type { Implementation } from './implementation.ts'
import { type CaseOutcome, runCase } from './run-case.ts'

/** The selection of cases, and the receivers of their outcomes. */
interface RunFilesOptions {
  /** Only cases of these kinds, which the implementation must then support. */
  readonly kinds?: readonly string[] | undefined
  readonly signal?: AbortSignal
  onFailure(file: string, outcome: CaseOutcome): void
  onCase?(file: string, name: string): void
}

/** Runs the cases of files against an implementation, one after the other. */
export async function runFiles(
  files: readonly string[],
  implementation: Implementation,
  { kinds, signal, onFailure, onCase }: RunFilesOptions,
): Promise<CaseOutcome[]> {
  const outcomes: CaseOutcome[] = []
  for (const file of files) {
    for await (const outcome of runFile(file)) {
      if (signal?.aborted === true) return outcomes
      outcomes.push(outcome)
      if (outcome.faults.length > 0) onFailure(file, outcome)
    }
  }
  return outcomes

  async function* runFile(file: string): AsyncGenerator<CaseOutcome> {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) yield missing(file)
    for (const one of parseCases(text ?? '')) {
      if (kinds !== undefined && !kinds.includes(one.kind)) continue
      onCase?.(file, one.name)
      const outcome = await runCase(one, implementation)
      yield kinds === undefined ? outcome : demanded(outcome)
    }
  }
}

function missing(file: string): CaseOutcome {
  return { name: file, kind: 'file', faults: ['cannot be read; check the path'] }
}

/** A kind that was requested by name must be supported. */
function demanded({ unsupported, ...outcome }: CaseOutcome): CaseOutcome {
  if (unsupported === undefined) return outcome
  return { ...outcome, faults: [`not supported: ${unsupported}`] }
}
