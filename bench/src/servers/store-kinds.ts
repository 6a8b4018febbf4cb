import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMissing, startPostgres } from './postgres-server.ts'
import { redisMissing, startRedis } from './redis-server.ts'

/** The name of a kind of store. */
export type StoreName = 'memory' | 'sqlite' | 'redis' | 'postgres'

/** Where a store is. */
export type StoreAddress = `${StoreName | 'rediss'}:${string}`

/** An empty store of its own. */
export interface OpenedStore {
  /** As `MILLRACE_STORE` takes it. */
  readonly address: StoreAddress
  close(): Promise<void>
}

/** A kind of store that servers are tried on. */
export interface StoreKind {
  readonly name: StoreName
  /** The name for people. */
  readonly title: string
  /** Why it cannot be used on this machine; empty if it can. */
  readonly missing: string
  /** Makes an empty one, with a Redis or Postgres of its own. */
  open(): Promise<OpenedStore>
}

/** Every kind of store; another one is another row. */
export const storeKinds: Readonly<Record<StoreName, StoreKind>> = {
  memory: {
    name: 'memory',
    title: 'in memory',
    missing: '',
    open: async () => ({ address: 'memory:', close: async () => {} }),
  },
  sqlite: {
    name: 'sqlite',
    title: 'SQLite',
    missing: '',
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'millrace-store-'))
      const address = `sqlite:${join(folder, 'millrace.db')}` as const
      return { address, close: () => rm(folder, { recursive: true, force: true }) }
    },
  },
  redis: {
    name: 'redis',
    title: 'Redis',
    missing: redisMissing,
    open: async () => {
      const { url, stop } = await startRedis()
      return { address: url, close: stop }
    },
  },
  postgres: {
    name: 'postgres',
    title: 'Postgres',
    missing: postgresMissing,
    open: async () => {
      const { url, stop } = await startPostgres()
      return { address: url, close: stop }
    },
  },
}

/** The stores that can be used on this machine. */
export const presentStores: readonly StoreKind[] = Object.values(storeKinds).filter(
  ({ missing }) => missing === '',
)
