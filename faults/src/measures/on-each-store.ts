import { presentStores } from '@millrace/bench/servers'
import type { SiteKind } from '@millrace/bench/serving'
import type { Finding } from '../trial.ts'

/** Measures a server on each durable store. */
export async function onEachStore(
  measure: (site: SiteKind, where: string) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { name, title } of presentStores)
    if (name !== 'memory') findings.push(...(await measure(name, title)))
  return findings
}
