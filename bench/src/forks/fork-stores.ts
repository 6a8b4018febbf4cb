import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPostgresStore } from 'millrace/postgres'
import { createRedisStore } from 'millrace/redis'
import { createMemoryStore, type Store } from 'millrace/server'
import { createSqliteStore } from 'millrace/sqlite'
import { startPostgres, startRedis, storeKinds, type StoreName } from '../servers/index.ts'

/** A store on which forks are measured. */
export interface ForkStore {
  readonly store: Store
  /** Bytes written so far; undefined if they cannot be counted. */
  bytesWritten(): Promise<number | undefined>
  close(): Promise<void>
}

/** The stores on which forks are measured, by name. */
const openers: Readonly<Record<StoreName, () => Promise<ForkStore>>> = {
  memory: async () => toForkStore(createMemoryStore()),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'))
    const store = createSqliteStore({ path: join(folder, 'store.db') })
    return toForkStore(store, bytesOfProcess, () => rm(folder, { recursive: true }))
  },
  redis: async () => {
    const { url, admin, stop } = await startRedis({ appendonly: 'yes' })
    const bytesOfFile = async (): Promise<number> =>
      Number(/aof_current_size:(\d+)/.exec(await admin.info('persistence'))?.[1])
    return toForkStore(createRedisStore({ url }), bytesOfFile, stop)
  },
  postgres: async () => {
    const { url, query, stop } = await startPostgres()
    const bytesOfLog = async (): Promise<number> => {
      const [row] = await query("SELECT pg_current_wal_insert_lsn() - '0/0'")
      return Number(row?.[0])
    }
    return toForkStore(createPostgresStore({ url }), bytesOfLog, stop)
  },
}

/** The stores that this machine supports, with functions that open them. */
export const forkStores = Object.values(storeKinds)
  .filter(({ missing }) => missing === '')
  .map(({ name, title }) => ({ title, open: openers[name] }))

function toForkStore(
  store: Store,
  bytesWritten: () => number | undefined | Promise<number | undefined> = () => undefined,
  cleanUp: () => Promise<void> = async () => {},
): ForkStore {
  return {
    store,
    bytesWritten: async () => bytesWritten(),
    close: async () => {
      await store.close()
      await cleanUp()
    },
  }
}

/** Bytes that this process has written to the system, as counted by Linux. */
function bytesOfProcess(): number | undefined {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
