import { isMillraceError, MillraceError } from '../errors/index.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import {
  decodeStoreAddress,
  DEFAULT_STORE,
  describeStore,
  type StoreAddress,
} from './store-address.ts'

/** How a store is opened. */
export interface OpenStoreOptions {
  /** Told of what goes wrong in the background, where nobody waits for it. */
  readonly onError?: (error: unknown) => void
  /** Told when a store is back whose loss `onError` was told of. */
  readonly onRestored?: () => void
  /** Whether other processes have the same file open, so that it is looked at for what they wrote. */
  readonly shared?: boolean
  /** Whether a file is refused that another process has opened so; an address with `?shared=1` is for several. */
  readonly exclusive?: boolean
  /** Whether tables are created in a Postgres that has none; true unless given. */
  readonly createTables?: boolean
  /** A Redis or Postgres that has not answered a call by then has failed. */
  readonly commandTimeoutMs?: number
}

/**
 * Opens the store at an address, `memory:`, `sqlite:PATH`, `redis://…`, `rediss://…` or `postgres://…`, and checks that it works.
 * What a store needs is loaded only where it is used.
 */
export async function openStore(
  address: string = DEFAULT_STORE,
  options: OpenStoreOptions = {},
): Promise<Store> {
  const decoded = decodeStoreAddress(address)
  const store = await open(decoded, options)
  try {
    await store.ping()
    return store
  } catch (cause) {
    await store.close()
    throw storeUnusable(decoded, cause)
  }
}

async function open(
  address: StoreAddress,
  { shared = false, exclusive = false, createTables = true, ...options }: OpenStoreOptions,
): Promise<Store> {
  if (address.kind === 'sqlite') {
    const { createSqliteStore } = await import('../stores/sqlite/index.ts')
    const isShared = shared || address.shared === true
    return createSqliteStore({
      path: address.path,
      shared: isShared,
      exclusive: exclusive && !isShared,
    })
  }
  if (address.kind === 'redis') {
    const { createRedisStore } = await import('../stores/redis/index.ts')
    return createRedisStore({ url: address.url, ...options })
  }
  if (address.kind === 'postgres') {
    const { createPostgresStore } = await import('../stores/postgres/index.ts')
    return createPostgresStore({ url: address.url, createTables, ...address.options, ...options })
  }
  return createMemoryStore()
}

/** What a store says itself tells a damaged file from a server that is down; the words of others may hold anything. */
function storeUnusable(address: StoreAddress, cause: unknown): MillraceError {
  const [where] = describeStore(address).split(';')
  const isTold = isMillraceError(cause)
  const reason = isTold ? cause.message : 'Check that it runs and that this address is right.'
  const code = isTold ? cause.code : 'store_unavailable'
  return new MillraceError(code, `The store ${where} cannot be used. ${reason}`, { cause })
}
