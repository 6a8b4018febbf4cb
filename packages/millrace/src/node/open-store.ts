import { isMillraceError, MillraceError } from '../errors/index.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import {
  decodeStoreAddress,
  DEFAULT_STORE,
  describeStore,
  type StoreAddress,
} from './store-address.ts'

/** Options for opening a store. */
export interface OpenStoreOptions {
  /** Receives background errors of the store. */
  readonly onError?: (error: unknown) => void
  /** Called when a store works again after a failure that `onError` received. */
  readonly onRestored?: () => void
  /** Whether other servers or tools use the same file. The store then polls it for their writes. */
  readonly shared?: boolean
  /** Whether to reject a file that is already open in this mode. Default: true, unless the file is shared. */
  readonly exclusive?: boolean
  /** Whether to create missing tables in Postgres. Default: true. */
  readonly createTables?: boolean
  /** Timeout of a call to Redis or Postgres. */
  readonly commandTimeoutMs?: number
}

/**
 * Opens the store at an address, `memory:`, `sqlite:PATH`, `redis://…`, `rediss://…` or `postgres://…`, and checks that
 * it works. Loads the driver only for the chosen store.
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
  { shared = false, exclusive = true, createTables = true, ...options }: OpenStoreOptions,
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

/** Includes only messages of our stores. Messages of drivers may contain secrets. */
function storeUnusable(address: StoreAddress, cause: unknown): MillraceError {
  const [where] = describeStore(address).split(';')
  const isOwnError = isMillraceError(cause)
  const reason = isOwnError
    ? cause.message
    : 'Check that it is running and that the address is correct.'
  const code = isOwnError ? cause.code : 'store_unavailable'
  return new MillraceError(code, `The store ${where} cannot be used. ${reason}`, { cause })
}
