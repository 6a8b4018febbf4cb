import type { Violation } from 'millrace'

/** Prints violations up to a limit, and counts all. */
interface ViolationReport {
  add(violations: readonly Violation[]): void
  /** Prints how many were not printed. */
  finish(): void
  count(): number
}

/** Creates a report with one line for each violation, at most `shown` of them. */
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
