import { isPublicHost } from './public-host.ts'

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
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, username, password, hostname } = new URL(text)
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
