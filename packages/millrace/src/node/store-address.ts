import { homedir } from 'node:os'
import { join } from 'node:path'
import { MillraceError } from '../errors/index.ts'

/** Where sessions are kept unless told otherwise: one file below the folder that the process works in. */
export const DEFAULT_STORE = 'sqlite:.millrace/millrace.db'

/** Where sessions are kept. */
export type StoreAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string; readonly shared?: true }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly options: PostgresParameters }

/** What an address of Postgres may say of the store, besides what the driver reads. */
export interface PostgresParameters {
  readonly schema?: string
  readonly prefix?: string
  readonly listen?: false
}

/** Reads the address of a store: `memory:`, `sqlite:PATH`, `redis://…`, `rediss://…` or `postgres://…`. */
export function decodeStoreAddress(text: string): StoreAddress {
  const [scheme = '', rest = ''] = splitScheme(text)
  const decode = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
  if (decode === undefined) throw unknownAddress(text, scheme)
  return decode(rest, text)
}

const sentinelPattern = /^rediss?\+sentinel:\/\/(?:[^/]*@)?([^/@]+)\//

/** Says for people where sessions are; what lets somebody in is left out. */
export function describeStore(address: StoreAddress): string {
  if (address.kind === 'memory') return 'in memory; they are gone when this stops'
  if (address.kind === 'sqlite') return `in ${address.path}; they survive a restart`
  const watched = sentinelPattern.exec(address.url)
  if (watched !== null)
    return `in Redis, as the sentinels at ${watched[1]} say; they survive a restart`
  const { hostname, port, pathname } = new URL(address.url)
  const [name, usual] = address.kind === 'redis' ? ['Redis', 6379] : ['Postgres', 5432]
  const database = pathname.replace(/^\/0?$/, '')
  return `in ${name} at ${hostname || 'localhost'}:${port || usual}${database}; they survive a restart`
}

type Decode = (rest: string, text: string) => StoreAddress

/** Several hosts are no URL; the store reads the rest. */
const decodeSentinels: Decode = (rest, url) => {
  if (/^\/\/[^/]+\/[^/]/.test(rest)) return { kind: 'redis', url }
  throw badAddress('An address of Sentinel is written redis+sentinel://HOST:PORT,HOST:PORT/NAME')
}

const decodeRedis: Decode = (rest, url) => {
  if (rest.startsWith('//') && URL.canParse(url)) {
    checkParameters('Redis', new URL(url).searchParams, redisParameters)
    return { kind: 'redis', url }
  }
  throw badAddress('An address of Redis is written redis://HOST:PORT, or rediss:// with encryption')
}

/** The parameters of an address that `ioredis` reads, as far as the store leaves them to it. */
const redisParameters = ['cluster', 'db', 'family', 'username', 'password']

/** The parameters of an address that `pg` and Postgres read. */
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

/** Refuses a parameter that nothing reads: a mistyped schema would put the sessions elsewhere. */
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
  throw badAddress(`An address of ${where} has no parameter ${name}, only ${known}`)
}

/** What is meant for the store is taken out of the address. */
const decodePostgres: Decode = (rest, text) => {
  if (!rest.startsWith('//') || !URL.canParse(text))
    throw badAddress(
      'An address of Postgres is written postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
  const url = new URL(text)
  const take = (name: string): string | null => {
    const value = url.searchParams.get(name)
    url.searchParams.delete(name)
    return value
  }
  const [schema, prefix, listen] = [take('schema'), take('prefix'), take('listen')]
  if (listen !== null && listen !== '0' && listen !== '1')
    throw badAddress('`listen` of an address of Postgres is 0 or 1')
  checkParameters('Postgres', url.searchParams, driverParameters, ['schema', 'prefix', 'listen'])
  const options = {
    ...(schema !== null && { schema }),
    ...(prefix !== null && { prefix }),
    ...(listen === '0' && { listen: false as const }),
  }
  return { kind: 'postgres', url: url.href, options }
}

/** Several servers of one machine have the file open. */
const sharedMark = /\?shared=1$/
const parameters = /\?([\w-]*)=[^/]*$/

const schemes: Readonly<Record<string, Decode>> = {
  memory: (rest) => {
    if (rest === '') return { kind: 'memory' }
    throw badAddress('`memory:` has nothing after the colon')
  },
  sqlite: (rest) => {
    const path = toPath(rest.replace(sharedMark, ''))
    const [, unknown] = parameters.exec(path) ?? []
    if (unknown !== undefined)
      throw badAddress(`An address of SQLite ends with ?shared=1 or its path, not ?${unknown}=`)
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
  if (rest === ':memory:') throw badAddress('A store that nothing outlives is written memory:')
  // Three slashes are the root of the disk behind no host; two would name a host.
  const path = rest.replace(/^\/\/(?=\/)/, '')
  if (path.startsWith('//')) throw badAddress('sqlite: takes a path without a host')
  if (path === '') throw badAddress('sqlite: takes a path, such as sqlite:.millrace/millrace.db')
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}

function splitScheme(text: string): string[] {
  const colon = text.indexOf(':')
  return colon < 0 ? ['', text] : [text.slice(0, colon).toLowerCase(), text.slice(colon + 1)]
}

/** What follows the scheme may hold a password, and is not repeated. */
function unknownAddress(text: string, scheme: string): MillraceError {
  const isScheme = /^[a-z][a-z0-9+.-]{1,20}$/.test(scheme)
  if (isScheme) return badAddress(`There is no store for ${scheme}: addresses`)
  const looksLikePath = /^[\w./\\~ -]+$/.test(text)
  return badAddress(
    looksLikePath ? `A file is written sqlite:${text.slice(0, 100)}` : 'This is no store',
  )
}

function badAddress(problem: string): MillraceError {
  return new MillraceError(
    'bad_request',
    `${problem}. A store is memory:, sqlite:PATH, redis://HOST:PORT, or postgres://HOST:PORT/DATABASE.`,
  )
}
