import type { Violation } from 'millrace'

/** Prints the rules that a stream breaks, up to a number of them, and counts them all. */
export interface ViolationReport {
  add(violations: readonly Violation[]): void
  /** Says how many were not printed. */
  finish(): void
  count(): number
}

/** Reports with one line for each violation, `shown` of them at most. */
export function createViolationReport(
  print: (line: string) => void,
  shown: number,
): ViolationReport {
  let count = 0
  return {
    add(violations) {
      for (const { rule, message, line } of violations) {
        if (++count <= shown) print(`message ${line} breaks [${rule}]: ${message}`)
      }
    },
    finish() {
      if (count > shown) print(`and ${count - shown} more; --show ${count} prints them all`)
    },
    count: () => count,
  }
}
