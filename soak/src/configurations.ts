import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisMissing, startRedis } from '@millrace/faults/redis'

/** A store that a server uses for a while. */
export interface OpenedStore {
  /** As `MILLRACE_STORE` takes it. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** A kind of store. */
export interface StoreKind {
  readonly name: string
  /** Why it cannot be used on this machine; empty if it can. */
  readonly missing: string
  readonly open: () => Promise<OpenedStore>
}

/** Every store that is soaked; another one is another row. */
const stores: readonly StoreKind[] = [
  {
    name: 'memory',
    missing: '',
    open: async () => ({ address: 'memory:', close: async () => {} }),
  },
  {
    name: 'sqlite',
    missing: '',
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'millrace-soak-'))
      const address = `sqlite:${join(folder, 'millrace.db')}`
      return { address, close: () => rm(folder, { recursive: true, force: true }) }
    },
  },
  {
    name: 'redis',
    missing: redisMissing,
    open: async () => {
      const redis = await startRedis()
      return { address: redis.url, close: () => redis.stop() }
    },
  },
]

/** The model adapters that are soaked, as the module of the server calls them. */
const adapters = ['anthropic', 'openai'] as const

/** A server that is soaked: a model adapter on a store. */
export interface Configuration {
  readonly name: string
  readonly adapter: (typeof adapters)[number]
  readonly store: StoreKind
}

/** Every adapter on every store. */
export const configurations: readonly Configuration[] = stores.flatMap((store) =>
  adapters.map((adapter) => ({ name: `${adapter}-${store.name}`, adapter, store })),
)
