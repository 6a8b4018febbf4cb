import type { FixName } from './fixes.ts'

/** How much a finding matters: nothing to do, good to know, to be mended. */
export type Severity = 'ok' | 'note' | 'problem'

/** What one check has found. */
export interface Finding {
  readonly severity: Severity
  /** What was seen, in figures. */
  readonly seen: string
  /** What it does to those who use the server; absent where there is nothing to mend. */
  readonly why?: string
  /** The row of the table of fixes that mends it. */
  readonly fix?: FixName
}

/** A finding with the check that it is of. */
export interface CheckedFinding extends Finding {
  readonly check: string
}

/** Nothing to do. */
export function ok(seen: string): Finding {
  return { severity: 'ok', seen }
}

/** Good to know. */
export function note(seen: string, why: string, fix?: FixName): Finding {
  return { severity: 'note', seen, why, ...(fix && { fix }) }
}

/** To be mended. */
export function problem(seen: string, why: string, fix?: FixName): Finding {
  return { severity: 'problem', seen, why, ...(fix && { fix }) }
}
