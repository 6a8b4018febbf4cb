import { badRequest, type MillraceError } from '../../../errors/index.ts'

/** Addresses of sentinels, and the name of their master. */
export interface SentinelAddress {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  readonly name: string
  readonly isEncrypted: boolean
  readonly username?: string
  readonly password?: string
  readonly db?: number
}

const DEFAULT_PORT = 26_379
const scheme = /^redis(s?)\+sentinel:\/\//
const pattern =
  /^rediss?\+sentinel:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^@/?]+)\/([^/?]+)(?:\/(\d+))?$/

/** Parses `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME/DATABASE`; undefined for an address without sentinels. */
export function decodeSentinels(url: string): SentinelAddress | undefined {
  const encryption = scheme.exec(url)?.[1]
  if (encryption === undefined) return undefined
  const [, user = '', password = '', hosts, name, db] = pattern.exec(url) ?? []
  if (hosts === undefined || name === undefined) throw badAddress()
  return {
    sentinels: hosts.split(',').map(decodeHost),
    name: decodeURIComponent(name),
    isEncrypted: encryption !== '',
    ...(user !== '' && { username: decodeURIComponent(user) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(db !== undefined && { db: Number(db) }),
  }
}

function decodeHost(text: string): { readonly host: string; readonly port: number } {
  if (!URL.canParse(`redis://${text}`)) throw badAddress()
  const { hostname, port } = new URL(`redis://${text}`)
  if (hostname === '') throw badAddress()
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) }
}

/** Creates the error for an invalid address. It does not contain the address, which may hold a password. */
function badAddress(): MillraceError {
  return badRequest(
    'The address of Redis behind Sentinel must name hosts and a master, such as redis+sentinel://host:26379,host:26379/mymaster.',
  )
}
