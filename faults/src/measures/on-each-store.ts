import type { SiteKind } from '@millrace/bench/serving'
import { durableStores } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'

/** Measures a server on each durable store of a trial. */
export async function onEachStore(
  options: TrialOptions,
  measure: (site: SiteKind, where: string) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { name, title } of durableStores(options))
    findings.push(...(await measure(name, title)))
  return findings
}
