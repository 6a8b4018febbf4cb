import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPostgresStore } from '../../../src/stores/postgres/index.ts'
import { createRedisStore } from '../../../src/stores/redis/index.ts'
import { createSqliteStore } from '../../../src/stores/sqlite/index.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import type { Store } from '../../../src/stores/port/index.ts'
import { postgresMissing, startPostgres } from './postgres-server.ts'
import { redisMissing, startRedis } from './redis-server.ts'

/** A database of sessions for several servers. */
export interface SharedPlace {
  /** Opens the store of one server. */
  connect(): Store
  close(): Promise<void>
}

/** One kind of store. */
export interface StoreKind {
  readonly name: string
  /** The reason why it cannot be tested here; otherwise empty. */
  readonly missing: string
  open(): Promise<SharedPlace>
}

/** Every kind of store of this package. */
export const storeKinds: readonly StoreKind[] = [
  {
    name: 'memory',
    missing: '',
    open: async () => {
      const store = createMemoryStore()
      return { connect: () => ({ ...store, close: async () => {} }), close: store.close }
    },
  },
  {
    name: 'sqlite',
    missing: '',
    open: async () => {
      const dir = await mkdtemp(join(tmpdir(), 'millrace-kinds-'))
      return toPlace(
        () => createSqliteStore({ path: join(dir, 'a.db'), shared: true, pollMs: 5 }),
        () => rm(dir, { recursive: true, force: true }),
      )
    },
  },
  {
    name: 'redis',
    missing: redisMissing,
    open: async () => {
      const { url, stop } = await startRedis()
      return toPlace(() => createRedisStore({ url }), stop)
    },
  },
  {
    name: 'postgres',
    missing: postgresMissing,
    open: async () => {
      const { url, stop } = await startPostgres()
      return toPlace(() => createPostgresStore({ url }), stop)
    },
  },
]

function toPlace(create: () => Store, stop: () => Promise<unknown>): SharedPlace {
  const stores: Store[] = []
  return {
    connect: () => {
      const store = create()
      stores.push(store)
      return store
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()))
      await stop()
    },
  }
}
