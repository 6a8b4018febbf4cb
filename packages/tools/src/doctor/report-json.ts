import { titleOf } from './checks.ts'
import type { Report } from './examine.ts'
import { fixesFor } from './fixes.ts'

/** Writes a report for programs: every finding with all of its fixes. */
export function toReportJson(report: Report, origin: string | undefined): string {
  const { url, version, proxies, findings, idleMs } = report
  const host = new URL(url).hostname
  const value = {
    url,
    version: version ?? null,
    proxies,
    ok: !hasProblems(report),
    idle_tested_ms: idleMs ?? null,
    findings: findings.map(({ check, severity, seen, why, fix }) => ({
      check,
      title: titleOf(check),
      severity,
      seen,
      ...(why !== undefined && { why }),
      ...(fix !== undefined && {
        fixes: fixesFor(fix, { host, ...(origin !== undefined && { origin }) }),
      }),
    })),
  }
  return JSON.stringify(value, null, 2)
}

/** Tells whether something is to be mended. */
export function hasProblems({ findings }: Report): boolean {
  return findings.some(({ severity }) => severity === 'problem')
}
