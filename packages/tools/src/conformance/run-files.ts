import { readdir, readFile } from 'node:fs/promises'
import { parseCases } from './conformance-case.ts'
import type { Implementation } from './implementation.ts'
import { type CaseOutcome, runCase } from './run-case.ts'
import { toTable } from '../sessions/to-table.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../package-folder.ts'

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

/** Numbers of passed, failed and unsupported cases. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly unsupported: number
}

/** Maximum faults shown for one case; other feedings mostly fail alike. */
const SHOWN_FAULTS = 3

/** Describes a failed case in one line. */
export function describeFailure(file: string, { name, kind, faults }: CaseOutcome): string {
  const more = faults.length - SHOWN_FAULTS
  const shown = faults.slice(0, SHOWN_FAULTS).join('; ')
  return `✗ ${file} ${name} (${kind}): ${shown}${more > 0 ? `; and ${more} more` : ''}`
}

/** Counts passed, failed and unsupported cases. */
export function countOutcomes(outcomes: readonly CaseOutcome[]): Counts {
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length
  const unsupported = outcomes.filter((outcome) => outcome.unsupported !== undefined).length
  return { passed: outcomes.length - failed - unsupported, failed, unsupported }
}

/** Lists the counts of each kind as a table. */
export function toKindTable(outcomes: readonly CaseOutcome[]): string {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))].toSorted()
  const rows = kinds.map((kind) => {
    const counts = countOutcomes(outcomes.filter((outcome) => outcome.kind === kind))
    return [kind, counts.passed, counts.failed, counts.unsupported].map(String)
  })
  return toTable(['kind', 'passed', 'failed', 'not supported'], rows)
}

/** Formats the total counts in one line. */
export function describeCounts({ passed, failed, unsupported }: Counts): string {
  const rest = unsupported === 0 ? '' : `, ${unsupported} not supported`
  return `${passed} passed, ${failed} failed${rest}`
}

/** The folders of the protocol cases: in the package, or in the repository. */
const places = ['vectors', '../../spec/vectors']

/** Returns the case files of the protocol, in order. */
export async function protocolFiles(): Promise<string[]> {
  const folder = places.map((place) => join(packageFolder, place)).find((path) => existsSync(path))
  const names = folder === undefined ? [] : await readdir(folder)
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(folder ?? '', name))
}
