import type { FixName } from './fixes.ts'

/** The severity of a finding: nothing to do, information, or to be fixed. */
export type Severity = 'ok' | 'note' | 'problem'

/** The result of a check. */
export interface Finding {
  readonly severity: Severity
  /** The observation, in figures. */
  readonly seen: string
  /** The effect on users; absent if there is nothing to fix. */
  readonly why?: string
  /** The row of the table of fixes that applies. */
  readonly fix?: FixName
}

/** A finding and its check. */
export interface CheckedFinding extends Finding {
  readonly check: string
}

/** Creates a finding with nothing to do. */
export function ok(seen: string): Finding {
  return { severity: 'ok', seen }
}

/** Creates a finding for information. */
export function note(seen: string, why: string, fix?: FixName): Finding {
  return { severity: 'note', seen, why, ...(fix && { fix }) }
}

/** Creates a finding that must be fixed. */
export function problem(seen: string, why: string, fix?: FixName): Finding {
  return { severity: 'problem', seen, why, ...(fix && { fix }) }
}
