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

/** A finding with the title of its check. */
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

/** Formats a time for people: `250 ms`, `2,013 ms`, `3 s`, `61.4 s`. */
export function toTime(ms: number): string {
  const inSeconds = ms >= 10_000 || (ms >= 1_000 && Math.round(ms) % 1_000 === 0)
  const value = inSeconds ? Math.round(ms / 100) / 10 : Math.round(ms)
  return `${value.toLocaleString('en-US')} ${inSeconds ? 's' : 'ms'}`
}

/** Formats a size for people: `640 bytes`, `4 KB`. */
export function toSize(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`
}
