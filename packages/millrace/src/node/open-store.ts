import { homedir } from 'node:os'
import { join } from 'node:path'
import { badRequest, isMillraceError, MillraceError } from '../errors/index.ts'
import { parseUrl } from '../outbound/index.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'

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

/** The default store: one file below the working directory. */
export const DEFAULT_STORE = 'sqlite:.millrace/millrace.db'

/** A decoded store address. */
export type StoreAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string; readonly shared?: true }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly options: PostgresParameters }

/** Parameters of a Postgres address for the store, not for the driver. */
interface PostgresParameters {
  readonly schema?: string
  readonly prefix?: string
  readonly listen?: false
}

/** Decodes a store address: `memory:`, `sqlite:PATH`, `redis://…`, `rediss://…` or `postgres://…`. */
export function decodeStoreAddress(text: string): StoreAddress {
  const [scheme = '', rest = ''] = splitScheme(text)
  const decode = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
  if (decode === undefined) throw unknownAddress(text, scheme)
  return decode(rest, text)
}

const sentinelPattern = /^rediss?\+sentinel:\/\/(?:[^/]*@)?([^/@]+)\//

/** Describes the location of sessions for people, without credentials. */
export function describeStore(address: StoreAddress): string {
  if (address.kind === 'memory') return 'in memory; they are lost when this process stops'
  if (address.kind === 'sqlite') return `in ${address.path}; they survive a restart`
  const watched = sentinelPattern.exec(address.url)
  if (watched !== null)
    return `in Redis, located by the sentinels at ${watched[1]}; they survive a restart`
  const { hostname, port, pathname } = new URL(address.url)
  const [name, usual] = address.kind === 'redis' ? ['Redis', 6379] : ['Postgres', 5432]
  const database = pathname.replace(/^\/0?$/, '')
  return `in ${name} at ${hostname || 'localhost'}:${port || usual}${database}; they survive a restart`
}

type Decode = (rest: string, text: string) => StoreAddress

/** A list of hosts is no URL; the store decodes the rest. */
const decodeSentinels: Decode = (rest, url) => {
  if (/^\/\/[^/]+\/[^/]/.test(rest)) return { kind: 'redis', url }
  throw badAddress('A Sentinel address has the form redis+sentinel://HOST:PORT,HOST:PORT/NAME')
}

const decodeRedis: Decode = (rest, url) => {
  const parsed = rest.startsWith('//') ? parseUrl(url) : undefined
  if (parsed === undefined)
    throw badAddress('A Redis address has the form redis://HOST:PORT, or rediss:// with encryption')
  checkParameters('Redis', parsed.searchParams, redisParameters)
  return { kind: 'redis', url }
}

/** Parameters that the store leaves to `ioredis`. */
const redisParameters = ['cluster', 'db', 'family', 'username', 'password']

/** Parameters that `pg` and Postgres read. */
const driverParameters = [
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'uselibpqcompat',
  'sslnegotiation',
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'database',
  'options',
  'client_encoding',
  'application_name',
  'fallback_application_name',
  'connect_timeout',
  'keepalives',
  'statement_timeout',
  'lock_timeout',
  'query_timeout',
  'target_session_attrs',
  'idle_in_transaction_session_timeout',
]

/** Rejects unknown parameters: a mistyped schema would put the sessions elsewhere. */
function checkParameters(
  where: string,
  given: URLSearchParams,
  driver: readonly string[],
  own: readonly string[] = [],
): void {
  const unknown = [...given.keys()].find((name) => !driver.includes(name))
  if (unknown === undefined) return
  const known = [...own, ...driver].join(', ')
  const name = JSON.stringify(unknown.slice(0, 40))
  throw badAddress(`A ${where} address has no parameter ${name}; the parameters are ${known}`)
}

/** Removes the parameters of the store from the address. */
const decodePostgres: Decode = (rest, text) => {
  const url = rest.startsWith('//') ? parseUrl(text) : undefined
  if (url === undefined)
    throw badAddress('A Postgres address has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  const take = (name: string): string | null => {
    const value = url.searchParams.get(name)
    url.searchParams.delete(name)
    return value
  }
  const [schema, prefix, listen] = [take('schema'), take('prefix'), take('listen')]
  if (listen !== null && listen !== '0' && listen !== '1')
    throw badAddress('The parameter `listen` of a Postgres address must be 0 or 1')
  checkParameters('Postgres', url.searchParams, driverParameters, ['schema', 'prefix', 'listen'])
  const options = {
    ...(schema !== null && { schema }),
    ...(prefix !== null && { prefix }),
    ...(listen === '0' && { listen: false as const }),
  }
  return { kind: 'postgres', url: url.href, options }
}

/** The suffix of a file that several servers of one machine open. */
const sharedMark = /\?shared=1$/
const parameters = /\?([\w-]*)=[^/]*$/

const schemes: Readonly<Record<string, Decode>> = {
  memory: (rest) => {
    if (rest === '') return { kind: 'memory' }
    throw badAddress('`memory:` must have nothing after the colon')
  },
  sqlite: (rest) => {
    const path = toPath(rest.replace(sharedMark, ''))
    const [, unknown] = parameters.exec(path) ?? []
    if (unknown !== undefined)
      throw badAddress(`A SQLite address ends with its path or ?shared=1, not ?${unknown}=`)
    return { kind: 'sqlite', path, ...(sharedMark.test(rest) && { shared: true }) }
  },
  redis: decodeRedis,
  rediss: decodeRedis,
  'redis+sentinel': decodeSentinels,
  'rediss+sentinel': decodeSentinels,
  postgres: decodePostgres,
  postgresql: decodePostgres,
}

function toPath(rest: string): string {
  if (rest === ':memory:') throw badAddress('Write an in-memory store as memory:')
  // Three slashes are the root directory without a host; two would name a host.
  const path = rest.replace(/^\/\/(?=\/)/, '')
  if (path.startsWith('//')) throw badAddress('sqlite: requires a path without a host')
  if (path === '') throw badAddress('sqlite: requires a path, such as sqlite:.millrace/millrace.db')
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}

function splitScheme(text: string): string[] {
  const colon = text.indexOf(':')
  return colon < 0 ? ['', text] : [text.slice(0, colon).toLowerCase(), text.slice(colon + 1)]
}

/** Does not repeat the text after the scheme, which may contain a password. */
function unknownAddress(text: string, scheme: string): MillraceError {
  const isScheme = /^[a-z][a-z0-9+.-]{1,20}$/.test(scheme)
  if (isScheme) return badAddress(`There is no store with ${scheme}: addresses`)
  const looksLikePath = /^[\w./\\~ -]+$/.test(text)
  return badAddress(
    looksLikePath
      ? `Write the path of a file as sqlite:${text.slice(0, 100)}`
      : 'The store address is invalid',
  )
}

function badAddress(problem: string): MillraceError {
  return badRequest(
    `${problem}. Supported stores are memory:, sqlite:PATH, redis://HOST:PORT, or postgres://HOST:PORT/DATABASE.`,
  )
}
