import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMissing, startPostgres } from './postgres-server.ts'
import { redisMissing, startRedis } from './redis-server.ts'

/** The name of a kind of store. */
export type StoreName = 'memory' | 'sqlite' | 'redis' | 'postgres'

/** The address of a store. */
export type StoreAddress = `${StoreName | 'rediss'}:${string}`

/** An empty store. */
export interface OpenedStore {
  /** The address, in the form of `MILLRACE_STORE`. */
  readonly address: StoreAddress
  close(): Promise<void>
}

/** A kind of store for servers under test. */
export interface StoreKind {
  readonly name: StoreName
  /** The displayed name. */
  readonly title: string
  /** The reason why it cannot be used on this machine; empty if it can. */
  readonly missing: string
  /** Creates an empty one, with a separate Redis or Postgres. */
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

/** The stores that this machine supports. */
export const presentStores: readonly StoreKind[] = Object.values(storeKinds).filter(
  ({ missing }) => missing === '',
)
