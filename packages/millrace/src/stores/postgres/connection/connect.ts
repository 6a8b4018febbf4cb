import type { Client, ClientConfig, Pool } from 'pg'
import { badRequest, loadPeer } from '../../../errors/index.ts'
import type { PostgresStoreOptions } from '../postgres-store-options.ts'
import { types } from '../values.ts'

interface Driver {
  readonly Client: typeof Client
  readonly Pool: typeof Pool
}

/** Loads the driver when a store is used. It is an optional dependency. */
export async function loadDriver(load = () => import('pg')): Promise<Driver> {
  return (await loadPeer('pg', 'The Postgres store', load)).default
}

/** Reads the address of Postgres. Connections send no startup parameters that a pooler would reject. */
export function createConnect(options: PostgresStoreOptions, timeoutMs: number) {
  const { url, connection, listenUrl } = options
  const common = {
    application_name: 'millrace',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    types,
  } satisfies ClientConfig
  const address = connection ?? { connectionString: checkUrl(url) }
  const listening =
    listenUrl === undefined ? address : { connectionString: checkUrl(listenUrl, 'listenUrl') }
  return {
    pool: async (max: number): Promise<Pool> => {
      const { Pool: DriverPool } = await loadDriver()
      return new DriverPool({ ...address, ...common, max, idleTimeoutMillis: 0 })
    },
    /** A connection outside the pool, for notifications. */
    listener: async (): Promise<Client> => {
      const { Client: DriverClient } = await loadDriver()
      return new DriverClient({ ...listening, ...common })
    },
  }
}

function checkUrl(url: string, option = 'address of Postgres'): string {
  if (URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol)) return url
  throw badRequest(
    `The ${option} must be a URL such as postgres://user:password@127.0.0.1:5432/database.`,
  )
}
