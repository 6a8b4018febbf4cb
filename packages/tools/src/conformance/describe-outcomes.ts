import { toTable } from '../sessions/to-table.ts'
import type { CaseOutcome } from './run-case.ts'

/** How many cases passed, failed and were not supported. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly unsupported: number
}

/** What is shown of one case; the other ways of feeding it mostly differ alike. */
const SHOWN_FAULTS = 3

/** One line that says what is wrong with a case. */
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

/** The counts of each kind, in a table. */
export function toKindTable(outcomes: readonly CaseOutcome[]): string {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))].toSorted()
  const rows = kinds.map((kind) => {
    const counts = countOutcomes(outcomes.filter((outcome) => outcome.kind === kind))
    return [kind, counts.passed, counts.failed, counts.unsupported].map(String)
  })
  return toTable(['kind', 'passed', 'failed', 'not supported'], rows)
}

/** The counts of all, in one line. */
export function describeCounts({ passed, failed, unsupported }: Counts): string {
  const rest = unsupported === 0 ? '' : `, ${unsupported} not supported`
  return `${passed} passed, ${failed} failed${rest}`
}
