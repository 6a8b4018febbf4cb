/** IPv4 ranges that are not public, as network and prefix length (IANA special-purpose registry). */
const reservedV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** IPv6 ranges inside global unicast that are not public: Teredo and other assignments, documentation, 6to4. */
const reservedV6: readonly (readonly [number, number, number])[] = [
  [0x2001, 0x0000, 23],
  [0x2001, 0x0db8, 32],
  [0x2002, 0x0000, 16],
  [0x3fff, 0x0000, 20],
]

/** Host names that only private networks resolve. */
const privateNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** Rules for URLs of clients that a provider fetches. */
export interface UrlRules {
  /** Allows `http:` in addition to `https:`. */
  readonly http?: boolean
  /** Allows hosts of private networks. */
  readonly privateHosts?: boolean
  /** The only allowed hosts, private ones included: `cdn.example.com`, or `*.example.com` for all subdomains. */
  readonly hosts?: readonly string[]
}

/** Characters that URL parsers treat differently: two parsers may find two different hosts. */
const ambiguous = /[\s\\\p{Cc}]/u
const maxUrlChars = 8_192

/** Returns the reason why a URL is rejected, or undefined. */
export function urlProblem(
  text: string,
  { http = false, privateHosts = false, hosts }: UrlRules,
): string | undefined {
  if (text.length > maxUrlChars) return `is longer than ${maxUrlChars} characters`
  if (ambiguous.test(text)) return 'contains white space, a backslash or a control character'
  const url = parseUrl(text)
  if (url === undefined) return 'is not a URL'
  const { protocol, username, password, hostname } = url
  if (protocol !== 'https:' && !(http && protocol === 'http:')) {
    const data = protocol === 'data:' ? '; send the data with a source of type `base64`' : ''
    return `must begin with https://${http ? ' or http://' : ''}${data}`
  }
  if (username !== '' || password !== '') return 'must not contain a user name or a password'
  if (hosts !== undefined) {
    return isListed(hostname, hosts) ? undefined : 'has a host that this server does not allow'
  }
  if (privateHosts || isPublicHost(hostname)) return undefined
  return 'has a host that is not on the public internet'
}

function isListed(hostname: string, hosts: readonly string[]): boolean {
  const name = hostname.replace(/\.$/, '')
  return hosts.some((host) => {
    const wanted = host.toLowerCase()
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted
  })
}

/**
 * Checks by its name whether the host of a parsed URL is public. The URL parser has already normalised decimal, octal
 * and hexadecimal addresses and other scripts.
 */
function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPublicV6(hostname.slice(1, -1))
  const name = hostname.replace(/\.+$/, '')
  if (/^[\d.]+$/.test(name)) return isPublicV4(name)
  return name.includes('.') && !privateNames.test(name)
}

function isPublicV4(address: string): boolean {
  const value = toNumber(address)
  return !reservedV4.some(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(value / size) === Math.floor(toNumber(network) / size)
  })
}

function toNumber(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0)
}

/**
 * Checks for a public IPv6 address. Only global unicast is public; this excludes loopback, mapped IPv4, unique local,
 * link-local and multicast addresses.
 */
function isPublicV6(address: string): boolean {
  const [first = 0, second = 0] = groupsOf(address)
  if (first < 0x2000 || first > 0x3fff) return false
  const value = first * 65_536 + second
  return !reservedV6.some(([one, two, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(value / size) === Math.floor((one * 65_536 + two) / size)
  })
}

/** Returns the first two groups of an address. A parsed URL contains no dotted quad and omits zeros at most once. */
function groupsOf(address: string): readonly number[] {
  const [head = ''] = address.split('::')
  return head === '' ? [] : head.split(':').map((group) => Number.parseInt(group, 16))
}

/** Parses a URL; undefined if it is invalid. `URL.canParse` of Node 20 refuses valid URLs with letters such as `ü` once it is optimised. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
