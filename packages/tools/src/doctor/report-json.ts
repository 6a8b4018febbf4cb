import { titleOf } from './checks.ts'
import type { Report } from './examine.ts'
import { fixesFor } from './fixes.ts'

/** Encodes a report as JSON, with all fixes of each finding. */
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

/** Whether a finding must be fixed. */
export function hasProblems({ findings }: Report): boolean {
  return findings.some(({ severity }) => severity === 'problem')
}
