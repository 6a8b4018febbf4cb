import { toTable } from '../sessions/to-table.ts'
import type { CaseOutcome } from './run-case.ts'

/** Numbers of passed, failed and unsupported cases. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly unsupported: number
}

/** Maximum faults shown for one case; other feedings mostly fail alike. */
const SHOWN_FAULTS = 3

/** Describes the faults of a case in one line. */
export function describeFailure(file: string, { name, kind, faults }: CaseOutcome): string {
  const more = faults.length - SHOWN_FAULTS
  const shown = faults.slice(0, SHOWN_FAULTS).join('; ')
  return `✗ ${file} ${name} (${kind}): ${shown}${more > 0 ? `; and ${more} more` : ''}`
}

/** Counts outcomes. */
export function countOutcomes(outcomes: readonly CaseOutcome[]): Counts {
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length
  const unsupported = outcomes.filter((outcome) => outcome.unsupported !== undefined).length
  return { passed: outcomes.length - failed - unsupported, failed, unsupported }
}

/** Formats the counts of each kind as a table. */
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
