import type { SiteName } from '@millrace/bench/serving'
import { redisMissing, startRedis } from '../redis.ts'
import type { Finding } from '../trial.ts'

/** Measures a server on SQLite and, where there is one, on a Redis of its own. */
export async function onEachStore(
  measure: (site: SiteName, where: string) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const onSqlite = await measure('sqlite', 'SQLite')
  if (redisMissing !== '') return onSqlite
  const redis = await startRedis()
  try {
    return [...onSqlite, ...(await measure(`redis://127.0.0.1:${redis.port}`, 'Redis'))]
  } finally {
    await redis.stop()
  }
}
